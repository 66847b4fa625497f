#!/bin/sh
# The sign opens with a capital H and every line ends a sentence.
set -eu
test -f greeting.txt || { echo "greeting.txt is missing" >&2; exit 1; }
head -n 1 greeting.txt | grep -q '^Hello' || { echo "the first line must begin with Hello" >&2; exit 1; }
if grep -qv '[.!]$' greeting.txt; then
  echo "every line must end with . or !" >&2
  exit 1
fi
echo "the sign may be shown"
