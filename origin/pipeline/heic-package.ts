/** The decoder of HEIC: LGPL, so whoever wants it installs it beside the service (`npm install libheif-js@1.23.2`). */
export const HEIC_PACKAGE = 'libheif-js/wasm-bundle.js';

/** Throws where it is not installed. */
export const requireHeicPackage = (): void => {
  try {
    import.meta.resolve(HEIC_PACKAGE);
  } catch (cause) {
    throw new Error(
      'configuration: HEIC_DECODER is libheif-js, which is not installed: npm install libheif-js@1.23.2',
      {
        cause,
      },
    );
  }
};
