self.addEventListener("install", (e) => e.waitUntil(self.skipWaiting()));
self.addEventListener("activate", (e) => e.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (e) => {
  if (!e.request.url.endsWith("made-up.txt")) return;
  const away = new URL(e.request.url).searchParams.get("away");
  e.respondWith(fetch("slow").then(() => new Response("Made by the worker")));
});
