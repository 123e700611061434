/** The emails of local mode. */
import type { OutboxEntry } from '../../../shared/portal-api.ts';
import { Button } from '../components/button.tsx';
import { Empty } from '../components/empty.tsx';
import { Notice } from '../components/notice.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { timeText } from '../format.ts';
import { SiteHead } from '../layouts/site-head.tsx';
import { useQuery } from '../use-query.ts';

const withLinks = (text: string) =>
  text.split(/(https?:\/\/\S+)/).map((part, i) =>
    i % 2 === 1 ? (
      <a href={part} class="mail-link" target="_self">
        {part}
      </a>
    ) : (
      part
    ),
  );

const Outbox = () => {
  const { value, problem, reload } = useQuery<{ mails: readonly OutboxEntry[] }>('/local/outbox');
  return (
    <>
      <SiteHead />
      <main class="content" id="main" tabIndex={-1}>
        <PageHead title="Outbox" lead="Emails that this server would have sent.">
          <Button onClick={reload}>Refresh</Button>
        </PageHead>
        <div class="stack">
          <Notice tone="warn">
            Local mode: nothing here has left this machine, and anyone who can reach it can read this page. It does not
            exist in production.
          </Notice>
          <Problem problem={problem} />
          {!value && !problem && <Skeleton height={9} />}
          {value?.mails.length === 0 && (
            <div class="card">
              <Empty icon="mail" title="No email yet">
                Register or reset a password, and the email appears here.
              </Empty>
            </div>
          )}
          {value?.mails.map((mail) => (
            <article class="card" key={mail.id}>
              <div class="card-head">
                <div>
                  <h2>{mail.subject}</h2>
                  <p>to {mail.to}</p>
                </div>
                <span class="small muted">{timeText(mail.sent_at)}</span>
              </div>
              <div class="card-body mail-body">{withLinks(mail.body)}</div>
            </article>
          ))}
        </div>
      </main>
    </>
  );
};
export default Outbox;
