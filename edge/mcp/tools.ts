/**
 * The service as tools for agents, over any transport: the edge's POST /mcp and the command line's `packshot mcp` serve
 * the same ones. Images go in as URLs and come out as links with what was measured on them; no bytes pass through the
 * model. A credit is set aside from the session's cap before it can be spent.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { BatchCreated, BatchStatusResponse, StatusImage } from '../../shared/api.ts';
import type { CheckAnswer } from '../../shared/check-api.ts';
import { limits } from '../../shared/limits.ts';
import { type Options, optionsSchema } from '../../shared/options.ts';
import type { Result } from '../../shared/result.ts';

/** A refusal as the API words it. `status` 0: no answer came, so the request may have been carried out. */
export type Refusal = {
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly status: number;
};

/** The public API, as the tools use it, with the caller's key. */
export type Api = {
  readonly createBatch: (url: string, options: Options, signal: AbortSignal) => Promise<Result<BatchCreated, Refusal>>;
  readonly batchStatus: (
    batchId: string,
    waitSeconds: number,
    signal: AbortSignal,
  ) => Promise<Result<BatchStatusResponse, Refusal>>;
  readonly check: (url: string, options: Options, signal: AbortSignal) => Promise<Result<CheckAnswer, Refusal>>;
  readonly account: (signal: AbortSignal) => Promise<Result<Readonly<Record<string, unknown>>, Refusal>>;
};

/** What the session may spend. `spent` and `cap` are credits. */
export type SpendCap = {
  readonly takeOne: () => Promise<
    | { readonly taken: true; readonly giveBack: () => Promise<void> }
    | { readonly taken: false; readonly spent: number; readonly cap: number }
  >;
};

/** An agent's own time limit is often a minute; what takes longer is asked for with get_batch. */
const WAITS_MAX = 2;

const INSTRUCTIONS = `Turns product photos into marketplace main images: background removed, product centred on pure white.
Each image costs one credit. check_image says beforehand, free, what a marketplace would refuse a photo for. Result links live for a day; get_batch makes fresh ones for seven days.`;

const photoInput = z.object({
  image_url: z.string().max(limits.batch.urlCharsMax).describe('Public http(s) address of the photo.'),
  options: optionsSchema.optional(),
});

export type Toolset = { readonly api: Api; readonly cap: SpendCap; readonly version: string };

export const mcpServer = ({ api, cap, version }: Toolset): McpServer => {
  const server = new McpServer({ name: 'packshot', version }, { instructions: INSTRUCTIONS });
  server.registerTool(
    'make_hero_image',
    {
      title: 'Make a marketplace main image',
      description:
        'Makes a main image from the photo at a URL and answers links to it with its compliance as measured; with the option marketplaces, one file for each. Costs one credit; a photo that cannot be used costs none.',
      inputSchema: photoInput,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    ({ image_url, options }, { mcpReq }) =>
      makeImage(api, cap, { url: image_url, options: options ?? {} }, mcpReq.signal),
  );
  server.registerTool(
    'check_image',
    {
      title: 'Check a photo, free',
      description:
        'Looks at the photo at a URL and lists findings: what a marketplace would refuse it for, what could be better, where on the photo, and what to do about it. Makes nothing and costs nothing.',
      inputSchema: photoInput,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    async ({ image_url, options }, { mcpReq }) => {
      const checked = await api.check(image_url, options ?? {}, mcpReq.signal);
      return checked.ok ? said(checked.value) : refused(checked.failure);
    },
  );
  server.registerTool(
    'get_batch',
    {
      title: 'Look at a batch',
      description: 'How the images of a batch stand, with fresh links to the finished ones. Costs nothing.',
      inputSchema: z.object({ batch_id: z.string().describe('As make_hero_image answered it.') }),
      annotations: { readOnlyHint: true },
    },
    async ({ batch_id }, { mcpReq }) => {
      const status = await api.batchStatus(batch_id, 0, mcpReq.signal);
      return status.ok ? said(described(status.value)) : refused(status.failure);
    },
  );
  server.registerTool(
    'account_balance',
    {
      title: 'Balance of the account',
      description: 'Credits left, held and spent, and the price of an image. Costs nothing.',
      inputSchema: z.object({}),
      annotations: { readOnlyHint: true },
    },
    async (_, { mcpReq }) => {
      const account = await api.account(mcpReq.signal);
      return account.ok ? said(account.value) : refused(account.failure);
    },
  );
  return server;
};

type Wanted = { readonly url: string; readonly options: Options };

const makeImage = async (
  api: Api,
  cap: SpendCap,
  { url, options }: Wanted,
  signal: AbortSignal,
): Promise<ToolAnswer> => {
  const place = await cap.takeOne();
  if (!place.taken) return refused(overCap(place.spent, place.cap));
  const created = await api.createBatch(url, options, signal);
  if (!created.ok) {
    // Where no answer came, or one that is not sure, the image may be charged: the credit stays set aside.
    if (created.failure.status >= 400 && created.failure.status < 500) await place.giveBack();
    return refused(created.failure);
  }
  const status = await ended(api, created.value.batch_id, signal);
  if (!status.ok) return refused(status.failure);
  // What failed costs nothing, nor does what a test key asks for.
  if (status.value.charged_images === 0) await place.giveBack();
  return said(described(status.value));
};

/** The batch when it ends, or as it stands after a while. */
const ended = async (api: Api, batchId: string, signal: AbortSignal): Promise<Result<BatchStatusResponse, Refusal>> => {
  for (let waits = 1; ; waits++) {
    const status = await api.batchStatus(batchId, limits.batch.statusWaitSecondsMax, signal);
    if (!status.ok || status.value.completed_at !== null || waits === WAITS_MAX) return status;
  }
};

const overCap = (spent: number, cap: number): Refusal => ({
  code: 'spend_cap_reached',
  detail: `This session may spend ${cap} credits, and ${spent} are spent. Whoever set the cap can raise it.`,
  retryable: false,
  status: 0,
});

const described = ({ batch_id, status, progress, images, ...batch }: BatchStatusResponse) => ({
  batch_id,
  status,
  progress,
  credits_charged: batch.charged_images,
  images: images.map(linked),
});

/** Links and measures of a finished image, and what was found about its photo. */
const linked = (image: StatusImage) => {
  if (image.status !== 'completed') return image;
  const { image_id, status, clean_download_url, preview_url, expires_at, ...measured } = image;
  const { width, height, format, background, compliance, findings, review } = measured;
  const links = { url: clean_download_url, preview_url, expires_at };
  const files = image.outputs === undefined ? {} : { outputs: image.outputs };
  return { image_id, status, ...links, width, height, format, background, compliance, findings, review, ...files };
};

type ToolAnswer = { content: { type: 'text'; text: string }[]; isError?: true };

const said = (value: unknown): ToolAnswer => ({ content: [{ type: 'text', text: JSON.stringify(value, null, 2) }] });

/** Not a fault of the protocol: the model reads the code and what to do. */
const refused = (error: Refusal): ToolAnswer => ({ isError: true, ...said({ error }) });
