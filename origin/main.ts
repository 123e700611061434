/** The origin process: configuration, one node, signals. */
import './malloc.ts';
import { type Config, readConfig } from './config.ts';
import { createLog, describeError } from './log.ts';
import { type Node, startNode } from './node.ts';

const configured = (): Config => {
  try {
    return readConfig(process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
};

const config = configured();
const log = createLog(config.logLevel, config.nodeId);
if (config.serviceKeys.sharedSecret)
  log.warn('ORIGIN_SERVICE_SECRET is still accepted: whoever learns it from a node can sign jobs. Remove it');

/** The node has lost something it cannot work without: end at once, so that its supervisor starts a new one. */
const die = (error: unknown): never => {
  log.fatal({ error: describeError(error) }, 'the node cannot go on');
  process.exit(1);
};
process.on('uncaughtException', die);
process.on('unhandledRejection', die);

const node: Node = await startNode(config, log, die).catch(die);
const { url, managementUrl } = node;
log.info({ url, management_url: managementUrl, provider: node.engine.provider, model: node.engine.model }, 'ready');

let stopping = false;
const stop = async (signal: string): Promise<void> => {
  // A second signal ends it without draining.
  if (stopping) process.exit(1);
  stopping = true;
  log.info({ signal }, 'draining');
  await node.stop();
  log.info('stopped');
  process.exit(0);
};
process.on('SIGTERM', (signal) => void stop(signal));
process.on('SIGINT', (signal) => void stop(signal));
