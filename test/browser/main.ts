/**
 * `npm run test:browser`: the portal in real headless Chromium against the whole running system.
 * `-- --screenshots` also writes the pictures of README to docs/.
 */
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { temporarySystem } from '../support/local-system.ts';
import { startPhotoServer } from '../support/photo-server.ts';
import { renderScene } from '../support/scenes.ts';
import { newSteps } from '../support/steps.ts';
import { sellFolder } from './batches.ts';
import { buySmallPack } from './billing.ts';
import { launch, newPage, watch } from './chromium.ts';
import { buyPack, makeKey, register } from './customer.ts';
import { copyForAgent, largestPaintMs, putTestKeyIn, readWithoutCode, searchDocs, takeOver } from './documentation.ts';
import { inspectPages, LAYOUT_SHIFT_MAX, SCRIPT_BYTES_MAX, weigh } from './every-page.ts';
import { firstImage } from './first-image.ts';
import { convertHeic } from './heic.ts';
import { changeOptions, coincide, compareMarketplaces, measuresInLog } from './instant.ts';
import { limitAndRollKey, seeLiveTail, walkSetupOrder } from './journey.ts';
import { previewOnLanding } from './landing.ts';
import { readFailedEntry, readUsageOfTests, readUsagePage } from './log-and-overview.ts';
import { makeImageFromAnotherOrigin } from './other-origin.ts';
import { pages } from './pages.ts';
import { goByPalette } from './palette.ts';
import {
  changeDuringRun,
  failOnWebGpu,
  makeKeyInstead,
  previewPhoto,
  refuseFiles,
  reloadDuringRun,
  runWithTestKey,
  slideToEnds,
} from './playground.ts';
import { agreement, faultsOf, MEAN_DIFFERENCE_MAX, OUTLINE_MISS_MAX, preview, runFromPlayground } from './previews.ts';
import { noPicture, takePicture } from './screenshots.ts';
import { askForPages, comeBackAfterSignIn, endSession, resetPassword, visitOnPhone } from './signing-in.ts';
import { readStatus } from './status.ts';
import { workAsTeam } from './team.ts';
import { touchUpPhoto } from './touch-up.ts';
import { touchUpRun } from './touch-up-run.ts';
import { inspectRequest, resendWebhook, searchLog, useEndpoint } from './workplace.ts';

const { values } = parseArgs({ options: { screenshots: { type: 'boolean', default: false } } });
const WIDE = { width: 1280, height: 860 };
const PHONE = { width: 360, height: 780 };

const picture = values.screenshots ? takePicture : noPicture;

const { step, end } = newSteps();
const none = (found: readonly string[]): void => {
  if (found.length > 0) throw new Error(found.join('\n'));
};

const shop = await startPhotoServer();
const system = await temporarySystem({ credits: 5, env: { LOCAL_INPUT_HOSTS: shop.hostPort } });
const browsers: Browser[] = [];
try {
  const base = system.baseUrl;
  const seen = watch(base);
  const browser = await launch();
  browsers.push(browser);
  const context = await browser.newContext({ viewport: WIDE });
  const page = await newPage(context, seen);
  page.setDefaultTimeout(30_000);
  const email = `ada-${Date.now()}@example.com`;
  const secrets: string[] = [];

  const visitor = await browser.newContext({ viewport: WIDE });
  const visiting = await newPage(visitor, seen);
  await step('a preview on WebAssembly agrees with origin for the same model', async () => {
    await register(visiting, base, `eve-${Date.now()}@example.com`);
    const found = await agreement(visiting, base, 'wasm');
    none(faultsOf('wasm', found));
    return `outlines differ in ${(100 * found.outlineMiss).toFixed(2)} % (at most ${100 * OUTLINE_MISS_MAX.full} %), colours by ${found.meanDifference.toFixed(2)} of 255 (at most ${MEAN_DIFFERENCE_MAX}), ${found.seconds.toFixed(1)} s with its download`;
  });
  await step('a photo is checked in the playground, then the real run is charged one credit and shown', async () => {
    await buyPack(visiting);
    await preview(visiting, base, 'wasm');
    await runFromPlayground(visiting);
  });

  await step('register, buy, make a key, call, see the log, see the balance fall by 0.25, revoke, 401', async () => {
    const { photo } = await preview(visiting, base, 'wasm');
    await walkSetupOrder(page, base, email, photo);
  });
  await step('a key is limited and rolled, and the API obeys at once', () => limitAndRollKey(page, base));
  await step('the live tail shows a request without a reload', async () => {
    secrets.push(await makeKey(page, 'Tail', 'Test'));
    await seeLiveTail(page, base, secrets[0] ?? '');
  });

  await step("the published client makes an image on another origin's page, with a test key", async () =>
    makeImageFromAnotherOrigin(browser, base, secrets[0] ?? '', await renderScene('mug', { width: 640 })),
  );

  const guest = await browser.newContext({ viewport: WIDE });
  const trying = await newPage(guest, seen);
  trying.setDefaultTimeout(30_000);
  const guestEmail = `may-${Date.now()}@example.com`;
  const mug = await renderScene('mug', { width: 1_200 });
  await step('files that are not taken are named with the reason, and the page stays', async () => {
    await register(trying, base, guestEmail);
    secrets.push(await makeKey(trying, 'Shelf', 'Test'));
    await refuseFiles(trying, base);
  });
  await step('a HEIC is a JPEG where the browser can read it, and the page says so', () => convertHeic(trying, base));
  await step(
    'a photo is previewed with true progress and one verdict, its run in view; the slider ends clean',
    async () => {
      await previewPhoto(trying, base, mug);
      await makeKeyInstead(trying);
      await slideToEnds(trying);
    },
  );
  await step('an option changes the picture at once, from the matte of before', () => changeOptions(trying));
  await step('photo and result coincide, in the photo and on the canvas', async () => {
    const figures = await coincide(trying);
    await picture(trying, 'playground');
    return figures;
  });
  await step('all chosen marketplaces are shown, each with its own report', () => compareMarketplaces(trying));
  await step('a test run keeps the verdict of the preview, its mark not counted; a reload loses no run', async () => {
    await runWithTestKey(trying);
    await measuresInLog(trying);
    await changeDuringRun(trying);
    await reloadDuringRun(trying);
  });
  await step('a visitor sees an own photo made on the first page, without an account', () =>
    previewOnLanding(browser, seen, base, mug),
  );
  await step(
    'a small pack is bought, its receipt says who sold what, and a level is set for the low-balance mail',
    async () => buySmallPack(await newPage(await browser.newContext({ viewport: WIDE }), seen), base),
  );
  await step('an owner invites, the invited sees what the role includes, and nothing any more once removed', () =>
    workAsTeam(browser, base, guestEmail),
  );
  await step('WebGPU that does not work is told in a sentence', () => failOnWebGpu(trying, base, mug));
  await step('a failed request says file, sentence, key, options and body; test runs are in no figure', async () => {
    await readFailedEntry(trying, base, { label: 'Shelf', secret: secrets.at(-1) ?? '' });
    await readUsageOfTests(trying, base);
    await readUsagePage(trying, base);
  });
  await step('a request shows photo, result, timing and code, and opens in the playground with its options', () =>
    inspectRequest(trying, base, secrets.at(-1) ?? '', mug),
  );
  await step('the log is searched by file name, marketplace and request id, and exported as searched', () =>
    searchLog(trying, base, secrets.at(-1) ?? '', mug),
  );
  await step('a delivery that failed is looked into and sent again, and a test event says that it is one', () =>
    resendWebhook(trying, base, secrets.at(-1) ?? '', shop),
  );
  await step('an endpoint is added, tested, told of a batch, and disabled', () =>
    useEndpoint(trying, base, secrets.at(-1) ?? '', shop),
  );
  await step(
    'sign-in leads back to where one was; a session that ends, a reset, a phone and a wrong path end well',
    async () => {
      await comeBackAfterSignIn(trying, base, guestEmail);
      // Not watched: the refused call is what tells the page.
      await endSession(await guest.newPage(), base, guestEmail);
      await resetPassword(trying, base, guestEmail);
      await visitOnPhone(browser, seen, base);
      await askForPages(await browser.newContext(), base);
    },
  );
  await guest.close();

  await step(
    'a folder of 40 photos: cost told, tab closed, 38 ready and two told why, ZIP, table, 38 charged, one retaken',
    async () => {
      const begun = performance.now();
      await sellFolder(browser, seen, base, WIDE, picture);
      return `${((performance.now() - begun) / 1_000).toFixed(0)} s`;
    },
  );

  await step(
    'a photo that needs a look is touched up, and a run of the playground: one of two products painted away, one more credit',
    () => touchUpPhoto(browser, seen, base, WIDE, (touching, shelf) => touchUpRun(touching, base, shelf)),
  );

  await step('a page and a request are gone to by the keyboard', () => goByPalette(page, base));
  await step('the documentation is searched, and a page is copied as Markdown for an agent', async () => {
    const reader = await browser.newContext({ viewport: WIDE, permissions: ['clipboard-read', 'clipboard-write'] });
    const reading = await newPage(reader, seen);
    await searchDocs(reading, base);
    await copyForAgent(reading, base);
    await reader.close();
    await putTestKeyIn(page, base);
  });
  await step('a stranger comes from the first page to an image by the API in 8 clicks and 3 fields', async () =>
    firstImage(browser, seen, base),
  );
  await step('public pages are read without their code, which then takes over what is shown', async () => {
    const plain = await browser.newContext({ viewport: WIDE, javaScriptEnabled: false });
    await readWithoutCode(plain, base);
    await plain.close();
    const visited = await browser.newContext({ viewport: WIDE });
    await takeOver(await newPage(visited, seen), base);
    await visited.close();
  });
  await step(
    'the status page shows each part of the running system well, and nothing as well without news',
    async () => {
      const asking = await browser.newContext({ viewport: WIDE });
      const latencies = await readStatus(await asking.newPage(), base);
      await asking.close();
      return latencies;
    },
  );
  await step('what a slow phone paints of public pages, and when', async () => {
    const paints = [];
    for (const path of ['/', '/docs', '/docs/reference'])
      paints.push(`${path} ${((await largestPaintMs(browser, base, path)) / 1_000).toFixed(2)} s`);
    return paints.join(', ');
  });

  const storageState = await context.storageState();
  const signedOut = pages.filter((row) => !row.session);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [WIDE, PHONE]) {
      const label = `${colorScheme}, ${viewport.width} px`;
      await step(`axe finds nothing and nothing overflows: ${label}`, async () => {
        const stranger = await browser.newContext({ viewport, colorScheme });
        const customer = await browser.newContext({ viewport, colorScheme, storageState });
        const found = [
          ...(await inspectPages(stranger, seen, base, label, signedOut)),
          ...(await inspectPages(
            customer,
            seen,
            base,
            label,
            pages.filter((row) => row.session),
          )),
        ];
        await stranger.close();
        await customer.close();
        none(found);
      });
    }
  }

  await step(
    `a first visit loads less than ${SCRIPT_BYTES_MAX / 1000} kB of script and moves nothing (at most ${LAYOUT_SHIFT_MAX})`,
    async () => {
      const figures = [];
      for (const row of pages) {
        const fresh = await browser.newContext({ viewport: PHONE, ...(row.session ? { storageState } : {}) });
        figures.push(await weigh(fresh, seen, base, row));
        await fresh.close();
      }
      none(figures.flatMap((row) => row.faults));
      return [
        'page               script kB   style kB   layout shift',
        ...figures.map(
          (row) =>
            `        ${row.name.padEnd(18)} ${(row.scriptBytes / 1000).toFixed(1).padStart(9)} ${(row.styleBytes / 1000).toFixed(1).padStart(10)} ${row.shift.toFixed(4).padStart(14)}`,
        ),
      ].join('\n');
    },
  );

  if (values.screenshots)
    await step('pictures of the first page and the overview', async () => {
      const pictured = await browser.newContext({ viewport: WIDE, storageState });
      const shown = await newPage(pictured, seen);
      await shown.goto(`${base}/overview`, { waitUntil: 'networkidle' });
      await picture(shown, 'overview');
      await shown.goto(base, { waitUntil: 'networkidle' });
      await shown.getByText('On the canvas').click();
      await picture(shown, 'landing');
      await pictured.close();
    });

  // By software a full look takes many minutes: both sides take drafts, which run every operator of the model all the
  // same.
  await step('a draft preview on WebGPU (software rendering) agrees with origin for the same model', async () => {
    const gpu = await launch({ webgpu: true });
    browsers.push(gpu);
    const gpuPage = await newPage(await gpu.newContext({ viewport: WIDE, storageState }), seen);
    await gpuPage.goto(`${base}/overview`);
    const offered = await gpuPage.evaluate(async () =>
      Boolean(
        await (navigator as unknown as { gpu?: { requestAdapter: () => Promise<unknown> } }).gpu?.requestAdapter(),
      ),
    );
    if (!offered) return 'this browser offers no WebGPU adapter, not even by software: not checked';
    const found = await agreement(gpuPage, base, 'webgpu', 'draft');
    none(faultsOf('webgpu', found));
    return `outlines differ in ${(100 * found.outlineMiss).toFixed(2)} % (at most ${100 * OUTLINE_MISS_MAX.draft} %), colours by ${found.meanDifference.toFixed(2)} of 255 (at most ${MEAN_DIFFERENCE_MAX}), ${found.seconds.toFixed(1)} s with its download`;
  });

  await step('no page asked another host for anything, none had an error', async () => none(seen.faults));
} finally {
  await Promise.all(browsers.map((browser) => browser.close()));
  await system.remove();
  await shop.close();
}
end('The portal keeps its promises.');
