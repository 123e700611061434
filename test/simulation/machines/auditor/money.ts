/** Books of the money, kept beside the ledger's own and compared with them at every line. */
import { type Books, type Line, type Memory, type Told, Violation } from './memory.ts';

const NAMES = ['granted', 'available', 'held', 'spent'] as const;

export const auditMoney = (memory: Memory) => {
  const { demand, booksOf, caseOf, files } = memory;

  const book = {
    grant(books: Books, line: Line): void {
      const id = line.commandId.slice(line.commandId.indexOf(':') + 1);
      demand(books.asked.get(id) === line.credits, `${line.commandId}: ${line.credits} credits nobody ordered`);
      demand(!books.applied.has(id), `${line.commandId} booked twice`);
      books.applied.add(id);
      books.granted += line.credits;
      books.available += line.credits;
    },
    hold(books: Books, line: Line): void {
      const one = caseOf(line.batchId);
      demand(one.live, `credits held for a test key: ${line.batchId}`);
      demand(one.places === undefined, `credits held twice: ${line.batchId}`);
      demand(books.available >= one.images, `held ${one.images} of ${books.available} credits`);
      one.places = Array.from({ length: one.images }, () => 'pending');
      books.available -= one.images;
      books.held += one.images;
    },
    resolve(books: Books, line: Line, to: 'posted' | 'voided'): void {
      const one = caseOf(line.batchId);
      const index = line.imageIndex ?? -1;
      const image = `${line.batchId}:${index}`;
      demand(one.places?.[index] === 'pending', `${image} ${to} while ${one.places?.[index]}`);
      demand(
        one.decided.get(index) === (to === 'posted' ? 'completed' : 'failed'),
        `${image} ${to} while its saved outcome is ${one.decided.get(index)}`,
      );
      if (to === 'posted') demand(files.has(image), `${image} charged without a file`);
      one.places![index] = to;
      books.held -= 1;
      if (to === 'posted') books.spent += 1;
      else books.available += 1;
    },
    release(books: Books, line: Line): void {
      const one = caseOf(line.batchId);
      const open = one.places?.filter((place) => place === 'pending').length ?? 0;
      demand(open > 0, `released nothing: ${line.batchId}`);
      demand(one.told !== 'accepted', `credits of an accepted batch released: ${line.batchId}`);
      one.released = true;
      one.places = one.places!.map((place) => (place === 'pending' ? 'voided' : place));
      books.held -= open;
      books.available += open;
    },
  };

  const bookLine = (books: Books, line: Line): void => {
    demand(line.sequence === books.lines + 1, `ledger line ${line.sequence} after ${books.lines}`);
    books.lines++;
    if (line.kind === 'grant' || line.kind === 'adjust') book.grant(books, line);
    else if (line.kind === 'hold') book.hold(books, line);
    else if (line.kind === 'post') book.resolve(books, line, 'posted');
    else if (line.kind === 'void') book.resolve(books, line, 'voided');
    else if (line.kind === 'release') book.release(books, line);
    else throw new Violation(`unknown ledger line ${line.kind}`);
    for (const name of NAMES)
      demand(line[name] === books[name], `line ${line.commandId}: ${name} ${line[name]}, by our books ${books[name]}`);
  };

  return {
    creditsOrdered: (accountId: string, id: string, credits: number): void =>
      void booksOf(accountId).asked.set(id, credits),
    ledgerSaved(accountId: string, lines: readonly Line[], told: Told): void {
      const books = booksOf(accountId);
      for (const line of lines) bookLine(books, line);
      for (const name of NAMES)
        demand(told[name] === books[name], `${accountId}: ${name} ${told[name]}, by our books ${books[name]}`);
      demand(
        told.granted === told.available + told.held + told.spent,
        `${accountId}: granted ≠ available + held + spent`,
      );
    },
  };
};
