/**
 * glibc gives every thread an arena of its own and returns little of what pipelines free in them; with two arenas a node's peak is some 100 MiB lower at the same speed. It reads
 * its settings only when a process starts, so the process starts itself once more, in place: same pid, same standard streams. Import this first.
 */
const isLinux = process.platform === 'linux';
// A parent that talks over an IPC channel would lose it.
if (isLinux && process.env['MALLOC_ARENA_MAX'] === undefined && process.send === undefined && typeof process.execve === 'function') {
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], { ...process.env, MALLOC_ARENA_MAX: '2' } as Record<string, string>);
}
