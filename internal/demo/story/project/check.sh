#!/bin/sh
# The sign opens with Hello and every line ends a sentence.
set -eu
test -f greeting.txt || { echo "greeting.txt is missing" >&2; exit 1; }
opening=Hello
while IFS= read -r line || test -n "$line"; do
  case $line in
    "$opening"*) opening= ;;
    *) echo "the first line must begin with Hello" >&2; exit 1 ;;
  esac
  case $line in
    *[.!]) ;;
    *) echo "every line must end with . or !" >&2; exit 1 ;;
  esac
done < greeting.txt
test -z "$opening" || { echo "the first line must begin with Hello" >&2; exit 1; }
echo "the sign may be shown"
