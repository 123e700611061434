/**
 * The service as tools for agents, over any transport. Images go in as URLs and come out as links with what was
 * measured on them; no bytes pass through the model. Every image that costs something is first set aside with `cap`.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { optionsSchema } from '../../../shared/options.ts';
import { type BatchStatus, type CallOptions, ConnectionError, type Packshot, PackshotError } from '../src/index.ts';
import { version } from '../src/version.ts';

/** What a session may spend. */
export type SpendCap = {
  /** Sets `credits` aside; says what was spent and the cap where that would go beyond it. */
  readonly take: (
    credits: number,
  ) => Promise<{ readonly taken: boolean; readonly spent: number; readonly cap: number }>;
  readonly giveBack: (credits: number) => Promise<void>;
};

/** An agent's own time limit is often a minute; what takes longer is asked for with get_batch. */
const WAIT_MS_MAX = 45_000;

const INSTRUCTIONS = `Turns product photos into marketplace main images: background removed, product centred on pure white.
Each image costs one credit. Results are links that live for a day; get_batch makes fresh ones for seven days.`;

type Toolset = { readonly packshot: Packshot; readonly cap: SpendCap };

export const mcpServer = (tools: Toolset): McpServer => {
  const server = new McpServer({ name: 'packshot', version }, { instructions: INSTRUCTIONS });
  const input = z.object({
    image_url: z.url().describe('Public http(s) address of the photo.'),
    options: optionsSchema.optional(),
  });
  server.registerTool(
    'make_hero_image',
    {
      title: 'Make a marketplace main image',
      description:
        'Makes a main image from the photo at a URL. Costs one credit; a photo that cannot be used costs none.',
      inputSchema: input,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    ({ image_url, options }, { mcpReq }) => answered(() => makeImage(tools, image_url, options ?? {}, mcpReq)),
  );
  server.registerTool(
    'get_batch',
    {
      title: 'Look at a batch',
      description: 'How the images of a batch stand, with fresh links to the finished ones. Free.',
      inputSchema: z.object({ batch_id: z.string().describe('As make_hero_image answered it.') }),
      annotations: { readOnlyHint: true },
    },
    ({ batch_id }, { mcpReq }) => answered(async () => described(await tools.packshot.batch(batch_id).status(mcpReq))),
  );
  server.registerTool(
    'account_balance',
    {
      title: 'Balance of the account',
      description: 'Credits left, held and spent, and the price of an image. Free.',
      inputSchema: z.object({}),
      annotations: { readOnlyHint: true },
    },
    (_, { mcpReq }) => answered(async () => ({ ...(await tools.packshot.account(mcpReq)) })),
  );
  return server;
};

const makeImage = async (
  { packshot, cap }: Toolset,
  url: string,
  options: z.infer<typeof optionsSchema>,
  call: CallOptions,
): Promise<Record<string, unknown>> => {
  const { taken, spent, cap: most } = await cap.take(1);
  if (!taken)
    throw new PackshotError(
      `This session may spend ${most} credits, and ${spent} of them are spent. Ask the person you work for before you go on.`,
      { code: 'spend_cap_reached' },
    );
  try {
    const batch = await packshot.createBatch([{ url }], options, call);
    const status = await batch.wait({ ...call, waitMsMax: WAIT_MS_MAX }).catch((error: unknown) => {
      if (error instanceof ConnectionError) return batch.status(call);
      throw error;
    });
    // What failed costs nothing, and nor does what a test key asks for.
    if (status.charged_images === status.refunded_images) await cap.giveBack(1);
    return described(status);
  } catch (error) {
    if (error instanceof PackshotError && error.status >= 400 && error.status < 500) await cap.giveBack(1);
    throw error;
  }
};

/** Links and measures, one entry for each image. */
const described = ({ batch_id, status, progress, images, ...rest }: BatchStatus): Record<string, unknown> => ({
  batch_id,
  status,
  progress,
  credits_charged: rest.charged_images - rest.refunded_images,
  images: images.map((image) => {
    if (image.status !== 'completed') return image;
    const { image_id, clean_download_url: url, preview_url, expires_at, width, height, format, compliance } = image;
    return { image_id, status: image.status, url, preview_url, expires_at, width, height, format, compliance };
  }),
});

type ToolAnswer = { content: { type: 'text'; text: string }[]; isError?: true };

/** What the API refuses is an answer that the model can read, with its code. */
const answered = async (work: () => Promise<Record<string, unknown>>): Promise<ToolAnswer> => {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await work(), null, 2) }] };
  } catch (error) {
    if (!(error instanceof PackshotError)) throw error;
    const { code, message, retryable, status } = error;
    return {
      isError: true,
      content: [{ type: 'text', text: JSON.stringify({ error: { code, detail: message, retryable, status } }) }],
    };
  }
};
