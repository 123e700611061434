/** Takes the space of what is loading. `height` in rem. */
export const Skeleton = ({ height = 1.25, width = '100%' }: { height?: number; width?: string }) => (
  <div class="skeleton" aria-hidden="true" style={{ height: `${height}rem`, width }} />
);
