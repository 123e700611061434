/** The TypeScript client in a Worker: workerd has no file system and a fetch of its own. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ImageError, Packshot } from '../../clients/typescript/src/index.ts';
import { type FakeOrigin, failing, fakeOrigin } from './support/origin.ts';
import { BASE, newAccount, photo, worker } from './support/service.ts';

let origin: FakeOrigin;
beforeEach(() => {
  origin = fakeOrigin();
});
afterEach(() => void vi.restoreAllMocks());

const client = async (): Promise<Packshot> => {
  const { apiKey } = await newAccount(3);
  return new Packshot({ apiKey, baseUrl: BASE, fetch: (url, init) => worker.fetch(new Request(url, init)) });
};

it('makes an image from bytes and from a stream, and reads the account, inside a Worker', async () => {
  const packshot = await client();
  const image = await packshot.create(photo());
  expect(image).toMatchObject({ credits_charged: 1, replayed: false, amazon_compliant: true });
  const stream = new Blob([photo('png')]).stream();
  expect((await packshot.create(stream, { marketplace: 'etsy' })).compliance.marketplace).toBe('etsy');
  expect(origin.jobs).toHaveLength(2);
  expect(await packshot.account()).toMatchObject({ available_credits: 1, spent_credits: 2 });
});

it('charges nothing for a photo that cannot be used, and says why', async () => {
  origin.script = () => failing('no_product_found');
  const packshot = await client();
  const error = await packshot.create(photo()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ImageError);
  expect((error as ImageError).code).toBe('no_product_found');
  expect(await packshot.account()).toMatchObject({ available_credits: 3 });
});
