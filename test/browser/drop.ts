/** A file let go over a page. */
import type { Page } from 'playwright-core';

export type Dropped = { readonly name: string; readonly type: string; readonly bytes: Uint8Array };

/** `selector`: where it is let go. Whether the browser was kept from leaving the page for it. */
export const drop = async (page: Page, { name, type, bytes }: Dropped, selector = '.drop'): Promise<boolean> =>
  page.evaluate(
    ([text, fileName, fileType, target]) => {
      const data = new DataTransfer();
      const file = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      data.items.add(new File([file], fileName, { type: fileType }));
      const event = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data });
      return !(document.querySelector(target) as Element).dispatchEvent(event);
    },
    [Buffer.from(bytes).toString('base64'), name, type, selector] as const,
  );
