/** What a call was made for. Its answer may come when the page shows something else. */
import { type Choice, fieldsOf } from './options.ts';

export type Asked = { readonly photo: File; readonly choice: Choice };

/** Whether `now` is the same photo with options that make the same file. */
export const isStillAsked = (asked: Asked, now: Asked | undefined): boolean =>
  asked.photo === now?.photo && JSON.stringify(fieldsOf(asked.choice)) === JSON.stringify(fieldsOf(now.choice));
