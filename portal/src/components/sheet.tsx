/** A result as a technical drawing: the canvas as paper, and on its sides what was measured of it. */
import type { ComponentChildren } from 'preact';
import { count } from '../format.ts';
import { backgroundText, fillOf, marginsOf, type Plan } from './plan.ts';

const percent = (part: number, whole: number): string => `${(100 * part) / whole}%`;

/** Below this share of the canvas a margin has no room for its figure. */
const LABELLED_SHARE_MIN = 0.045;

type RulerProps = {
  side: 'across' | 'down';
  whole: number;
  from: number;
  length: number;
  /** In the middle, beside the product's own length. */
  fill: string | undefined;
};

/** One side of the canvas: margin, product, margin. */
const Ruler = ({ side, whole, from, length, fill }: RulerProps) => {
  const parts = [
    { kind: 'margin', px: from, text: count(from) },
    { kind: 'product', px: length, text: `${count(length)} px${fill ? ` · ${fill}` : ''}` },
    { kind: 'margin', px: whole - from - length, text: count(whole - from - length) },
  ] as const;
  return (
    <div class={`ruler ${side}`}>
      {parts.map(({ kind, px, text }, at) => (
        <span
          key={at}
          class={`ruler-part ${kind}`}
          style={side === 'across' ? { width: percent(px, whole) } : { height: percent(px, whole) }}
        >
          {px / whole >= LABELLED_SHARE_MIN && <b>{text}</b>}
        </span>
      ))}
    </div>
  );
};

/** Whole where it is by less than a pixel of a thousand. */
const fillText = (plan: Plan): string => {
  const fill = 100 * fillOf(plan);
  return `${Math.abs(fill - Math.round(fill)) < 0.1 ? Math.round(fill) : fill.toFixed(1)} %`;
};

const described = (plan: Plan): string => {
  const { canvas, product, background } = plan;
  const { left, right, top, bottom } = marginsOf(plan);
  return [
    `Product of ${count(product.width)} × ${count(product.height)} px, ${fillText(plan)} of a canvas of ${count(canvas.width)} × ${count(canvas.height)} px.`,
    `Margins: ${count(left)} px left, ${count(right)} right, ${count(top)} above, ${count(bottom)} below.`,
    ...(background === undefined ? [] : [`Background ${backgroundText(background)}.`]),
  ].join(' ');
};

const Dimensions = ({ plan }: { plan: Plan }) => {
  const { canvas, product, background } = plan;
  const fill = fillText(plan);
  const isWide = product.width / canvas.width >= product.height / canvas.height;
  return (
    <div class="dimensions" role="img" aria-label={described(plan)}>
      <span
        class="product-box"
        style={{
          left: percent(product.x, canvas.width),
          top: percent(product.y, canvas.height),
          width: percent(product.width, canvas.width),
          height: percent(product.height, canvas.height),
        }}
      />
      <Ruler
        side="across"
        whole={canvas.width}
        from={product.x}
        length={product.width}
        fill={isWide ? fill : undefined}
      />
      <Ruler
        side="down"
        whole={canvas.height}
        from={product.y}
        length={product.height}
        fill={isWide ? undefined : fill}
      />
      {background !== undefined && (
        <span class="background-label">
          {background !== 'transparent' && <i style={{ background }} />}
          {backgroundText(background)}
        </span>
      )}
    </div>
  );
};

type Props = {
  /** Undefined: nothing is measured yet, and the paper is a square. */
  plan: Plan | undefined;
  /** The drawing is about the canvas: it is not shown while that is not. */
  isMeasured?: boolean;
  /** The paper is in the middle, without room for measures. */
  isCentred?: boolean;
  children: ComponentChildren;
  class?: string;
};

/** Takes a square of its own, whatever shape the paper has, so that nothing around it moves. */
export const Sheet = ({ plan, isMeasured = true, isCentred = !plan, children, class: extra = '' }: Props) => {
  const { width, height } = plan?.canvas ?? { width: 1, height: 1 };
  // A square has no style of its own, which a page that was written at build time could not have.
  const shape =
    width === height
      ? {}
      : {
          style: { aspectRatio: `${width} / ${height}`, ...(width > height ? { width: '100%' } : { height: '100%' }) },
        };
  return (
    <div class={`sheet ${extra}`}>
      <div class="sheet-inner">
        <div
          class={`paper ${width === height ? 'square' : ''} ${isMeasured ? '' : 'unmeasured'} ${isCentred ? 'centred' : ''}`}
          {...shape}
        >
          {children}
          {plan && <Dimensions plan={plan} />}
        </div>
      </div>
    </div>
  );
};
