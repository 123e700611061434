/**
 * What one agent's session has spent: a Durable Object of its own, so that no two calls see the same credit. It is a cap
 * beside the ledger, not a part of it: what it counts is never money.
 */
import { DurableObject } from 'cloudflare:workers';
import type { EdgeEnv } from '../env.ts';
import { edgeLimits } from '../limits.ts';
import { first } from '../sqlite/rows.ts';

export type SpendSessionPort = {
  /** Sets one credit aside under `callId`; the same call repeated sets aside no other. `spent`: with this one. */
  takeOne(callId: string, cap: number): Promise<{ readonly taken: boolean; readonly spent: number }>;
  giveBack(callId: string): Promise<void>;
};

export class SpendSession extends DurableObject<EdgeEnv> implements SpendSessionPort {
  async takeOne(callId: string, cap: number): Promise<{ readonly taken: boolean; readonly spent: number }> {
    const { sql } = this.ctx.storage;
    sql.exec('create table if not exists spend (call_id text primary key)');
    const spent = first<{ spent: number }>(sql, 'select count(*) as spent from spend')?.spent ?? 0;
    if (first(sql, 'select call_id from spend where call_id = ?', callId)) return { taken: true, spent };
    if (spent >= cap) return { taken: false, spent };
    sql.exec('insert into spend values (?)', callId);
    await this.ctx.storage.setAlarm(Date.now() + edgeLimits.mcp.sessionKeptMs);
    return { taken: true, spent: spent + 1 };
  }

  async giveBack(callId: string): Promise<void> {
    this.ctx.storage.sql.exec('create table if not exists spend (call_id text primary key)');
    this.ctx.storage.sql.exec('delete from spend where call_id = ?', callId);
  }

  /** Nothing was spent for long: the session is over. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
