/** Bounds of the touch-up page. */
export const touchUpLimits = Object.freeze({
  /** Longer side of the matte that is edited, px: as fine as the common canvas of 2,000. */
  planeSideMax: 2_048,
  /** Strokes that can be undone, and the memory that they may take together. */
  stepsMax: 60,
  stepsBytesMax: 32 * 1024 * 1024,
  /** Edited mattes that are kept while the next photo is looked at. */
  draftsMax: 4,
  /** Radius of the brush, px of the screen: who zooms in paints finer. */
  brushPxMin: 3,
  brushPxMax: 80,
  brushPx: 24,
  /** Times the size at which the photo fits. */
  zoomMax: 24,
  zoomStep: 1.4,
  /** Of an arrow key, in px of the screen. */
  keyStepPx: 16,
  keyStepLargePx: 64,
} as const);
