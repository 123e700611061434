import { type Marketplace, MB, rulesFrom, square } from './rule.ts';

const api = rulesFrom({
  source: 'https://open.lazada.com/apps/doc/doc?docId=120947&nodeId=30718',
  as_of: '2026-07-12',
  evidence: 'secondary',
});

export const lazada: Marketplace = {
  label: 'Lazada',
  canvas: square(1000),
  fill: 0.85,
  format: 'jpg',
  rules: [
    api.required({ kind: 'shortest_side', min: 330 }),
    api.required({ kind: 'longest_side', max: 5000 }),
    api.required({ kind: 'file_bytes', max: 3 * MB }),
    api.required({ kind: 'format', any_of: ['jpg', 'png'] }),
    api.recommended({ kind: 'aspect', width: 1, height: 1 }),
  ],
};
