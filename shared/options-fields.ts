/** The other way round from `resolveOptions`: the fields of a form that resolve to the same options. Pure. */
import { limits } from './limits.ts';
import { type CanvasSize, canvasOption, marketplaces } from './marketplaces/index.ts';
import { outputsOf, type ResolvedOptions, type ResolvedOutput } from './options.ts';
import type { Region } from './region.ts';

const canvasText = (canvas: number | CanvasSize): string =>
  typeof canvas === 'number' ? String(canvas) : `${canvas.width}x${canvas.height}`;

/** Decimals of a percentage as `parseRegion` takes them. */
const PERCENT_DECIMALS = 4;

const regionText = ({ unit, x, y, width, height }: Region): string =>
  [x, y, width, height]
    .map((n) => (unit === 'px' ? String(n) : `${Number((n * 100).toFixed(PERCENT_DECIMALS))}%`))
    .join(',');

/** What is asked for holds for every output, so one that is not as its marketplace has it shows what was asked for. */
const asked = (
  outputs: readonly ResolvedOutput[],
  isDefault: (output: ResolvedOutput) => boolean,
  text: (output: ResolvedOutput) => string,
): string | undefined => {
  const other = outputs.find((output) => !isDefault(output));
  return other && text(other);
};

const marketplaceFields = (options: ResolvedOptions): Record<string, string> => {
  const names = outputsOf(options).map(({ marketplace }) => marketplace);
  if (options.others !== undefined) return { marketplaces: names.join(',') };
  return options.marketplace === 'amazon' ? {} : { marketplace: options.marketplace };
};

/** Only what differs from the defaults. Undefined for a request of remove.bg's API, whose options are others. */
export const fieldsOfOptions = (options: ResolvedOptions): Record<string, string> | undefined => {
  if (options.cutout !== undefined) return undefined;
  const outputs = outputsOf(options);
  const hero = outputs.filter(({ layout }) => layout === 'hero');
  const { layout, background, shadow, provenance, region, on_finding } = options;
  const fields: Readonly<Record<string, string | undefined>> = {
    ...marketplaceFields(options),
    layout: layout === 'hero' ? undefined : layout,
    canvas: asked(
      hero,
      (one) => canvasText(one.canvas) === canvasText(canvasOption(marketplaces[one.marketplace].canvas)),
      (one) => canvasText(one.canvas),
    ),
    fill: asked(
      hero,
      (one) => one.fill === marketplaces[one.marketplace].fill,
      (one) => String(one.fill),
    ),
    format: asked(
      outputs,
      (one) => one.format === marketplaces[one.marketplace].format,
      (one) => one.format,
    ),
    quality: asked(
      outputs,
      (one) => one.quality === limits.quality.default,
      (one) => String(one.quality),
    ),
    background: background === '#ffffff' ? undefined : background,
    shadow: shadow === 'none' ? undefined : shadow,
    provenance,
    region: region && regionText(region),
    // Batches of an earlier release have none.
    on_finding: on_finding === 'fail' ? 'fail' : undefined,
  };
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  );
};
