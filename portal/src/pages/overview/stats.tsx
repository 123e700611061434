import { dollars, plural } from '../../format.ts';
import { useMe } from '../../session.tsx';

export const Stats = () => {
  const { account } = useMe();
  const facts = [
    { name: 'Balance', value: dollars(account.available), more: plural(account.available, 'credit') },
    { name: 'Held', value: dollars(account.held), more: `${plural(account.held, 'image')} being processed` },
    { name: 'Used', value: dollars(account.spent), more: `${plural(account.spent, 'image')} delivered` },
    { name: 'Bought', value: dollars(account.granted), more: plural(account.granted, 'credit') },
  ];
  return (
    <dl class="card stats">
      {facts.map(({ name, value, more }) => (
        <div class="stat" key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            <small>{more}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
};
