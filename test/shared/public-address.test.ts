import { describe, expect, it } from 'vitest';
import { errors } from '../../shared/errors.ts';
import { type AddressRules, isPublicAddress, parseLocalHosts, publicUrl } from '../../shared/public-address.ts';
import { forbiddenUrls, invalidUrls, privateAddresses, publicAddresses, publicUrls } from '../support/addresses.ts';

const rules: AddressRules = {
  ownHosts: ['api.packshot.shop', '.abc.r2.cloudflarestorage.com', 'origin-1.packshot.shop'],
  localHosts: [],
};
const codeOf = (text: string, given = rules) => {
  const checked = publicUrl(text, given);
  return checked.ok ? 'ok' : checked.failure.code;
};

describe('an address that is not public is refused in every notation', () => {
  it.each(forbiddenUrls)('%s: %s', (_notation, url) => expect(codeOf(url)).toBe('url_forbidden'));
});

describe('an address that is no plain http(s) URL is invalid', () => {
  it.each(invalidUrls)('%s: %s', (_reason, url) => expect(codeOf(url)).toBe('url_invalid'));
});

describe('a public address is let through', () => {
  it.each(publicUrls)('%s', (url) => expect(codeOf(url)).toBe('ok'));
});

describe('addresses that a name may resolve to', () => {
  it.each(privateAddresses)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(publicAddresses)('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('the service never fetches from itself', () => {
  it.each([
    'https://api.packshot.shop/api/v1/downloads/x/y.jpg',
    'https://API.packshot.shop./x.jpg',
    'https://api.packshot.shop:8443/x.jpg',
    'https://abc.r2.cloudflarestorage.com/packshot/results/x',
    'https://packshot.abc.r2.cloudflarestorage.com/results/x',
    'http://origin-1.packshot.shop/v1/jobs',
  ])('%s', (url) => expect(codeOf(url)).toBe('url_forbidden'));

  it('a neighbour of an own host is not the own host', () => {
    expect(codeOf('https://cdn.packshot.shop/x.jpg')).toBe('ok');
    expect(codeOf('https://notabc.r2.cloudflarestorage.com/x.jpg')).toBe('ok');
  });
});

describe('local mode', () => {
  const local = { ...rules, localHosts: ['127.0.0.1:20301', 'localhost:20301'] };
  it('a listed loopback host passes, with its port only', () => {
    expect(codeOf('http://127.0.0.1:20301/a.jpg', local)).toBe('ok');
    expect(codeOf('http://localhost:20301/a.jpg', local)).toBe('ok');
    expect(codeOf('http://127.0.0.1:20302/a.jpg', local)).toBe('url_forbidden');
    expect(codeOf('http://127.0.0.1/a.jpg', local)).toBe('url_forbidden');
    expect(codeOf('http://127.0.0.2:20301/a.jpg', local)).toBe('url_forbidden');
  });
  it('a list names loopback hosts only', () => {
    expect(parseLocalHosts(' 127.0.0.1:80, localhost:9000,[::1]:8080 ')).toEqual({
      ok: true,
      value: ['127.0.0.1:80', 'localhost:9000', '[::1]:8080'],
    });
    expect(parseLocalHosts('')).toEqual({ ok: true, value: [] });
    for (const bad of ['10.0.0.1:80', 'example.com:80', '127.0.0.1', 'localhost:80/x'])
      expect(parseLocalHosts(bad)).toEqual({ ok: false, failure: bad });
  });
});

it('what is returned is the normalised URL that will be fetched, without fragment and trailing dot', () => {
  const checked = publicUrl('HTTPS://Photos.Shop.com.:443/a b.jpg?x=1#frag', rules);
  expect(checked.ok && checked.value.href).toBe('https://photos.shop.com/a%20b.jpg?x=1');
});

it('every refusal is an error that one image can carry', () => {
  for (const code of ['url_invalid', 'url_forbidden'] as const) expect(errors[code].scope).toBe('image');
});
