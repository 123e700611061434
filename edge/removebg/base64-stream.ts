/** Base64 in pieces, decoded as they come: white space, the beginning of a data URL and missing padding are allowed. */
const DATA_URL = /^data:[^,]{0,100};base64,/;
const DATA_URL_CHARS_MAX = 'data:;base64,'.length + 100;
const WHITE_SPACE = /[\t\n\f\r ]+/g;

export type Base64Stream = {
  /** Both throw a SyntaxError where it is no base64. */
  take(text: string): Uint8Array<ArrayBuffer>;
  end(): Uint8Array<ArrayBuffer>;
};

export const base64Stream = (): Base64Stream => {
  let waiting = '';
  let isPastHead = false;
  let isPadded = false;
  const decode = (text: string): Uint8Array<ArrayBuffer> => {
    if (text === '') return new Uint8Array(0);
    if (isPadded) throw new SyntaxError('base64 goes on behind its padding');
    isPadded = text.endsWith('=');
    return Uint8Array.fromBase64(text);
  };
  const pastHead = (): void => {
    isPastHead = true;
    waiting = waiting.replace(DATA_URL, '').replace(WHITE_SPACE, '');
  };
  return {
    take(text) {
      waiting += isPastHead ? text.replace(WHITE_SPACE, '') : text;
      if (!isPastHead && waiting.length < DATA_URL_CHARS_MAX) return new Uint8Array(0);
      if (!isPastHead) pastHead();
      const whole = waiting.length - (waiting.length % 4);
      const ready = waiting.slice(0, whole);
      waiting = waiting.slice(whole);
      return decode(ready);
    },
    end() {
      if (!isPastHead) pastHead();
      return decode(waiting);
    },
  };
};
