/** The output as a technical drawing: the canvas, the product, and the measures that are checked. */
export const Figure = () => (
  <svg
    class="figure"
    viewBox="0 0 520 460"
    role="img"
    aria-label="A white square canvas with a product centred on it. The product takes 85 % of the canvas; the background is 255, 255, 255."
  >
    <g class="fig-back">
      <rect x="12" y="150" width="150" height="190" rx="10" class="fig-photo" />
      <path d="M12 286h150v44a10 10 0 0 1-10 10H22a10 10 0 0 1-10-10z" class="fig-table" />
      <Mug x={46} y={204} scale={0.36} />
    </g>
    <path class="fig-arrow" d="M172 246h22m-7-6 7 6-7 6" />
    <rect x="206" y="50" width="300" height="300" rx="3" class="fig-canvas" />
    <rect x="228.25" y="91" width="255.5" height="218" class="fig-box" />
    <Mug x={226.75} y={88.5} scale={1} />
    <g class="fig-measure">
      <path d="M228.25 374v12M483.75 374v12M228.25 380h255.5" />
      <path d="M206 404v12M506 404v12M206 410h300" />
      <path d="M356 42v-8M356 366v-8M190 200h8M510 200h8" />
    </g>
    <g class="fig-label">
      <rect x="326" y="371" width="60" height="18" class="fig-knock" />
      <text x="356" y="384" text-anchor="middle">
        85 %
      </text>
      <rect x="316" y="401" width="80" height="18" class="fig-knock" />
      <text x="356" y="414" text-anchor="middle">
        2000 px
      </text>
      <text x="216" y="70" class="fig-on-white">
        255, 255, 255
      </text>
      <text x="87" y="364" text-anchor="middle">
        photo.jpg
      </text>
    </g>
  </svg>
);

/** A mug about 250 × 224 units at scale 1. */
const Mug = ({ x, y, scale }: { x: number; y: number; scale: number }) => (
  <g transform={`translate(${x} ${y}) scale(${scale})`}>
    <path class="mug-handle" d="M172 52h26c30 0 48 20 48 54s-20 56-52 56h-24" />
    <path class="mug-body" d="M4 18h176v150c0 30-22 52-52 52H56c-30 0-52-22-52-52z" />
    <path class="mug-shade" d="M138 18h42v150c0 30-22 52-52 52h-22c20-8 32-28 32-52z" />
    <ellipse class="mug-rim" cx="92" cy="18" rx="88" ry="13" />
    <path class="mug-light" d="M24 52v104" />
  </g>
);
