/** Stands for a page whose code did not arrive. */
export const LoadFailed = () => <p role="alert">This page could not be loaded. Reload to try again.</p>;
