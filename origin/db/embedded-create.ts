/** Makes a new database folder and ends. Started by embedded.ts only. */
import { openPglite } from './pglite.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('embedded-create takes the path of the new folder');
const db = await openPglite(folder);
await db.close();
process.exit(0);
