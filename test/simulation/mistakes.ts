/** Requests that are wrong in one way each: they must be refused, charge nothing and leave nothing. */
import type { Account, Book } from './auditor/book.ts';
import { newActor, runAs } from './platform/scheduler.ts';
import type { Body, WireRequest } from './wire.ts';
import type { World } from './world.ts';

const HERO = '/api/v1/service-hero';
const text = new TextEncoder();
/** Begins the names of their files. */
export const MISTAKE_TAG = 'mistake';

const json = (value: unknown): Body => ({ contentType: 'application/json', bytes: text.encode(JSON.stringify(value)) });
const form = (parts: string): Body => ({
  contentType: 'multipart/form-data; boundary=edge',
  bytes: text.encode(`${parts}--edge--\r\n`),
});
const field = (name: string, value: string): string =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (content: string): string =>
  `--edge\r\nContent-Disposition: form-data; name="files"; filename="${MISTAKE_TAG}-0.jpg"\r\n\r\n${content}\r\n`;
const image = { input_url: `https://a.shop-images.com/${MISTAKE_TAG}-0.jpg` };

const wrong: Readonly<Record<string, { readonly body?: Body; readonly headers?: Record<string, string> }>> = {
  'no key': { body: json({ images: [image] }), headers: { authorization: '' } },
  'a mistyped key': { body: json({ images: [image] }), headers: { authorization: 'Bearer sk_live_1' } },
  'no body': {},
  'no JSON': { body: { contentType: 'application/json', bytes: text.encode('{"images":') } },
  'no images': { body: json({ images: [] }) },
  'too many images': { body: json({ images: Array.from({ length: 1_001 }, () => image) }) },
  'an unknown field': { body: json({ images: [{ ...image, colour: 'white' }], more: 1 }) },
  'an unknown option': { body: json({ images: [image], options: { canvas: -1 } }) },
  'a webhook on a private host': { body: json({ images: [image], webhook_url: 'http://127.0.0.1/' }) },
  'a form without files': { body: form(field('marketplace', 'amazon')) },
  'a field twice': { body: form(field('fill', '0.8') + field('fill', '0.9') + file('x')) },
  'files that are no images': { body: form(file('text') + file('')) },
  'a form without its boundary': { body: { contentType: 'multipart/form-data', bytes: text.encode(file('x')) } },
  'a form cut off': {
    body: { contentType: 'multipart/form-data; boundary=edge', bytes: text.encode(file('x').slice(0, 90)) },
  },
  'too many files': { body: form(file('\u00ff').repeat(21)) },
  'another media type': { body: { contentType: 'text/plain', bytes: text.encode('photo') } },
  'a key of idempotency too long': { body: json({ images: [image] }), headers: { 'idempotency-key': 'k'.repeat(256) } },
};
export const mistakes: readonly string[] = Object.keys(wrong);

/** Sends one of them; what is heard is noted. */
export const makeMistake = (world: World, book: Book, account: Account, name: string): void => {
  const actor = newActor(`client with ${name}`);
  const request: WireRequest = {
    method: 'POST',
    path: HERO,
    ...wrong[name],
    headers: { authorization: `Bearer ${account.keys.live.text}`, ...wrong[name]?.headers },
  };
  const send = async (): Promise<void> =>
    void book.mistakes.push({ name, heard: await world.door.send(actor, request) });
  runAs(world.scheduler, actor, () => void send().catch(world.broken));
};
