import { useEffect } from 'preact/hooks';

let latest = '';
/** The title of the page that was rendered last: for the build, which has no document to set it in. */
export const renderedTitle = (): string => latest;

/** Sets the title of the document. */
export const useTitle = (title: string): void => {
  const whole = `${title} · packshot`;
  latest = whole;
  useEffect(() => {
    document.title = whole;
  }, [whole]);
};
