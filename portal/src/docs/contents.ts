/** The pages of the documentation, in their order. */
export const contents = [
  {
    title: 'Start',
    pages: [
      ['/docs', 'Quick start'],
      ['/docs/upload', 'Uploading files'],
      ['/docs/batch', 'Batches of URLs'],
      ['/docs/findings', 'Checks and findings'],
      ['/docs/webhooks', 'Webhooks'],
      ['/docs/removebg', 'From remove.bg'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['/docs/credits', 'Credits and billing'],
      ['/docs/keys', 'Keys'],
      ['/docs/members', 'Members and roles'],
      ['/docs/options', 'Options'],
      ['/docs/marketplaces', 'Marketplaces'],
      ['/docs/errors', 'Errors'],
      ['/docs/limits', 'Limits'],
      ['/docs/reference', 'API reference'],
    ],
  },
] as const;

/** Where the same page is as Markdown. */
export const markdownPath = (path: string): string => `${path}.md`;
