/** The node as its child process sees it, at the other end of fd 3. */
import { Socket } from 'node:net';
import { createFrameReader, type Frame, writeFrame } from './frames.ts';

const NODE_FD = 3;

export type Parent = {
  /** Resolves once the node has taken it all. */
  send(frame: Omit<Frame, 'payload'>, payload: readonly Uint8Array[]): Promise<void>;
  /** The payload of a frame is overwritten by the next one; a node sends one request at a time. */
  onFrame(payloadBytesMax: number, handle: (frame: Frame) => void): void;
};

/**
 * Ends this process when its node has ended, for whatever reason: by SIGKILL, since an exit would wait for threads that
 * may be stuck.
 */
export const connectToParent = (): Parent => {
  const socket = new Socket({ fd: NODE_FD, readable: true, writable: true });
  const end = (): void => void process.kill(process.pid, 'SIGKILL');
  process.on('SIGINT', () => undefined); // Ctrl-C reaches the whole group; the node decides when this process ends.
  socket.on('close', end);
  socket.on('error', end);
  return {
    send: (frame, payload) => writeFrame(socket, frame, payload),
    onFrame: (payloadBytesMax, handle) => void socket.on('data', createFrameReader(payloadBytesMax, 'reuse', handle)),
  };
};
