/**
 * glibc gives every thread an arena of its own and returns little of what pipelines free in them; with two arenas a
 * node's peak is some 100 MiB lower at the same speed. Pictures above 4 MiB get mappings of their own, which go back to
 * the system the moment they are freed: another 50 MiB. glibc reads its settings only when a process starts, so the
 * process starts itself once more, in place: same pid, same standard streams. Import this first.
 */
const settings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '4194304' };
const isLinux = process.platform === 'linux';
// A parent that talks over an IPC channel would lose it.
if (
  isLinux &&
  process.env['MALLOC_ARENA_MAX'] === undefined &&
  process.send === undefined &&
  typeof process.execve === 'function'
) {
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    ...process.env,
    ...settings,
  } as Record<string, string>);
}
