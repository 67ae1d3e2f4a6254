/** Who works here. People are added, enrolled anew and disabled by the operator's tool. */
import { useQuery } from '@tanstack/react-query';
import css from './admin.module.css';
import { get } from './api';
import { time } from './format';
import { Badge, Head, Table, Trouble, Waiting } from './Parts';
import type { Person } from './types';

function state(person: Person) {
  if (person.disabled) return <Badge tone="bad">disabled</Badge>;
  return person.enrolled ? <Badge tone="good">enrolled</Badge> : <Badge tone="warn">not enrolled yet</Badge>;
}

export function Staff() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['staff'],
    queryFn: () => get<{ rows: Person[] }>('staff'),
  });
  return (
    <>
      <Head title="Staff" note="Added, enrolled anew and disabled by: exchange admin staff" />
      {error && <Trouble error={error} again={() => void refetch()} />}
      <div className={css.card}>
        {isPending && !error && <Waiting />}
        {data && (
          <Table name="Staff" heads={[['Signs as'], ['Role'], ['State'], ['Own account', 'right'], ['Since', 'right']]}>
            {data.rows.map((person) => (
              <tr key={person.id}>
                <td>
                  <b>{person.signs}</b>
                </td>
                <td>{person.role}</td>
                <td>{state(person)}</td>
                <td className={css.right}>{person.account ?? '–'}</td>
                <td className={css.right}>{time(person.created_ms)}</td>
              </tr>
            ))}
          </Table>
        )}
      </div>
    </>
  );
}
