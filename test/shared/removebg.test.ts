/** The table of parameters, and the values that its rows read. */
import { describe, expect, it } from 'vitest';
import { type ParameterName, removebgParameters, sizes } from '../../shared/removebg/parameters.ts';
import { readParameters, wantedOf } from '../../shared/removebg/read-parameters.ts';
import { colour, margins, position, roi, scale } from '../../shared/removebg/values.ts';

const names = { green: [0, 128, 0] } as const;
const px = (value: number) => ({ value, unit: 'px' });
const share = (value: number) => ({ value, unit: 'share' });

describe('a colour', () => {
  it.each([
    ['fff', '#ffffffff'],
    ['#81d4fa', '#81d4faff'],
    ['81D4FA77', '#81d4fa77'],
    ['f008', '#ff000088'],
    ['Green', '#008000ff'],
    ['transparent', 'transparent'],
  ])('%s is %s', (text, hex) => expect(colour(text, names)).toBe(hex));

  it.each(['', 'ff', '#12345', 'nogreen', 'rgb(1,2,3)', 'constructor', '1234567'])('%j is none', (text) =>
    expect(colour(text, names)).toBeUndefined(),
  );
});

describe('lengths', () => {
  it('of a region are pixels or shares, in order where they can be compared', () => {
    expect(roi('10px 20px 50% 100%')).toEqual([px(10), px(20), share(0.5), share(1)]);
    for (const text of [
      '10px 20px 30px',
      '30px 0px 10px 50px',
      '0% 0% 101% 50%',
      '0 0 -5px 5px',
      'a b c d',
      '10 20 30 40',
    ])
      expect(roi(text), text).toBeUndefined();
  });

  it('of margins are one, two or four', () => {
    expect(margins('0')).toEqual([px(0), px(0), px(0), px(0)]);
    expect(margins('10% 5px')).toEqual([share(0.1), px(5), share(0.1), px(5)]);
    expect(margins('1px 2px 3px 4px')).toEqual([px(1), px(2), px(3), px(4)]);
    for (const text of ['', '51%', '501px', '1px 2px 3px', '5']) expect(margins(text), text).toBeUndefined();
  });

  it('of scale and position are shares', () => {
    expect([scale('original'), scale('10%'), scale('100%')]).toEqual([null, 0.1, 1]);
    expect([scale('9.9%'), scale('101%'), scale('50px'), scale('0.5')]).toEqual(Array(4).fill(undefined));
    expect(position('30%')).toEqual({ x: 0.3, y: 0.3 });
    expect(position('0% 100%')).toEqual({ x: 0, y: 1 });
    expect([position('left'), position('0% 0% 0%'), position('10px')]).toEqual(Array(3).fill(undefined));
  });
});

describe('every row of the table', () => {
  const rows = Object.entries(removebgParameters) as [
    ParameterName,
    (typeof removebgParameters)[ParameterName] & { values?: readonly string[] },
  ][];

  it.each(rows)('%s says what it takes, and takes each value that it lists', (_name, row) => {
    expect(row.takes.length).toBeGreaterThan(2);
    if (row.support !== 'same') expect(row.how.length).toBeGreaterThan(10);
    for (const value of row.values ?? []) expect(row.read(value, names), value).toBeDefined();
  });
});

describe('what is wanted', () => {
  const wanted = (given: Record<string, string>, caller = { isLive: true, available: 1 }) => {
    const read = readParameters(new Map(Object.entries({ image_file: 'a.jpg', ...given })), names);
    if (!read.ok) throw new Error(read.failure.detail);
    return wantedOf(read.value, caller);
  };

  it.each(Object.entries(sizes))(
    'size %s is at most %i pixels, and free only at the size of a preview',
    (size, pixelsMax) => {
      const { options, isFree } = wanted({ size });
      expect(options.cutout?.pixelsMax).toBe(pixelsMax);
      expect(isFree).toBe(pixelsMax === 250_000);
    },
  );

  it('of a test key is no preview: its result is marked', () => {
    expect(wanted({}, { isLive: false, available: 0 }).options.cutout?.isPreview).toBe(false);
    expect(wanted({}).options.cutout?.isPreview).toBe(true);
  });

  it.each([
    [{}, 'png', 'transparent'],
    [{ bg_color: 'fff' }, 'jpg', '#ffffff'],
    [{ bg_color: 'fff8' }, 'png', 'transparent'],
    [{ format: 'jpg' }, 'jpg', '#ffffff'],
    [{ format: 'webp', bg_color: 'green' }, 'webp', '#008000'],
    [{ channels: 'alpha' }, 'png', '#000000'],
    [{ bg_image_url: 'https://a.example/b.jpg' }, 'jpg', '#000000'],
    [{ bg_image_url: 'https://a.example/b.jpg', format: 'png' }, 'png', '#000000'],
  ])('%o is a %s on %s', (given, format, background) => {
    expect(wanted(given as Record<string, string>).options).toMatchObject({ format, background });
  });

  it('scale implies the middle, unless a position is named', () => {
    expect(wanted({ scale: '50%' }).options.cutout?.position).toEqual({ x: 0.5, y: 0.5 });
    expect(wanted({ scale: '50%', position: 'original' }).options.cutout?.position).toBe('original');
    expect(wanted({}).options.cutout?.position).toBe('original');
  });
});
