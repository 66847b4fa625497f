// The checks of BenchmarkLook, written for Playwright: a browser context for
// each scenario, the console listened to, one picture each, several at a time.
//   node playwright.mjs <browser> <address> <directory> <at a time> <text of each...>
import { createRequire } from "node:module";
import { join } from "node:path";

const { chromium } = createRequire(join(process.env.PLAYWRIGHT_AT, "x.js"))("playwright-core");
const [executablePath, address, dir, width] = process.argv.slice(2);

const sizes = [[1280, 720], [800, 600], [390, 844]];
const checks = [
  (p) => p.locator("h1").waitFor({ state: "visible" }),
  (p) => p.getByText("A note").first().waitFor({ state: "visible" }),
  (p) => p.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "visible" }),
  (p) => p.locator("#gone").waitFor({ state: "hidden" }),
  (p) => p.locator("#soon").waitFor({ state: "visible" }),
  async (p, errors) => { await p.getByTestId("save").waitFor({ state: "visible" }); if (errors.length) throw new Error(errors[0]); },
];
const browser = await chromium.launch({ executablePath, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
const jobs = [];
for (const check of checks) for (const size of sizes) jobs.push([check, size, jobs.length]);

async function one([check, [w, h], n]) {
  const context = await browser.newContext({ viewport: { width: w, height: h } });
  const page = await context.newPage();
  const errors = [];
  page.on("console", (m) => { if (m.type() === "error") errors.push(m.text()); });
  page.on("pageerror", (e) => errors.push(e.message));
  await page.goto(address);
  await check(page, errors);
  await page.screenshot({ path: join(dir, `${n}.png`) });
  await context.close();
}
await Promise.all(Array.from({ length: Number(width) }, async () => { while (jobs.length) await one(jobs.shift()); }));
await browser.close();
