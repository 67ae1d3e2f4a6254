/** Two dialogs about products in a country: one person bars them at once, and proposes that they are allowed again. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import css from './admin.module.css';
import { useReasoned } from './reasoned';
import own from './regions.module.css';
import { ALL_AREAS, countryName, countryText, isFound, productName } from './regionTexts';
import type { RegionRule } from './types';

interface Props {
  /** `bar` is done at once; `allow` has to be agreed to by another person. */
  act: 'bar' | 'allow';
  /** Undefined: it is chosen here. */
  country: string | undefined;
  rules: readonly RegionRule[];
  /** All that can be barred. */
  products: readonly string[];
  close: () => void;
  done: (country: string, proposal: number | undefined) => void;
}

const WORDS = {
  bar: {
    title: 'Bar products',
    path: 'regions/bar',
    note: 'From this moment on accounts of this country open nothing of them. Orders that would open something are cancelled. Positions can be closed, options run to their end, what is held can be sold and withdrawn.',
    none: 'All products are barred there already.',
    send: (where: string) => `Bar ${where}now`,
    kind: 'no',
  },
  allow: {
    title: 'Propose to allow again',
    path: 'regions/propose-allow',
    note: 'Another person has to agree, within 72 hours. Until then nothing changes.',
    none: 'Nothing is barred there.',
    send: (where: string) => `Propose to allow ${where || 'them'}`.trimEnd(),
    kind: 'yes',
  },
} as const;

/** Where, as a button says it. */
function whereText(country: string | undefined): string {
  if (country === undefined) return '';
  return country === '' ? 'for unknown country ' : `in ${countryName(country)} `;
}

export function RegionDialog({ act, country, rules, products, close, done }: Props) {
  const words = WORDS[act];
  const dialog = useRef<HTMLDialogElement>(null);
  const [chosen, setChosen] = useState(country);
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const { reason, setReason, trouble, busy, isSaid, send } = useReasoned<{ case?: number }>(words.path, (answer) =>
    done(chosen ?? '', answer.case),
  );
  useEffect(() => dialog.current?.showModal(), []);

  const barred = rules.find((rule) => rule.country === chosen)?.barred ?? [];
  const offered = chosen === undefined ? [] : products.filter((one) => barred.includes(one) === (act === 'allow'));
  // What another person has barred meanwhile is no choice any more.
  const wanted = offered.filter((one) => ticked.includes(one));
  const title = chosen === undefined ? words.title : `${words.title}: ${countryText(chosen)}`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({ country: chosen, products: wanted });
  };
  return (
    <dialog ref={dialog} className={css.dialog} aria-label={title} onClose={close}>
      <h2>{title}</h2>
      <form className={css.editor} onSubmit={submit}>
        {country === undefined && (
          <CountryField
            value={chosen}
            change={(next) => {
              setChosen(next);
              setTicked([]);
            }}
          />
        )}
        {chosen !== undefined && (
          <fieldset className={own.ticks}>
            <legend>Products</legend>
            {offered.length === 0 && <span className={css.dim}>{words.none}</span>}
            {offered.map((one) => (
              <label key={one}>
                <input
                  type="checkbox"
                  checked={ticked.includes(one)}
                  onChange={({ target }) =>
                    setTicked(target.checked ? [...ticked, one] : ticked.filter((other) => other !== one))
                  }
                />
                {productName(one)}
              </label>
            ))}
          </fieldset>
        )}
        <label>
          Reason, for the audit and whoever decides
          <input autoComplete="off" maxLength={200} value={reason} onChange={({ target }) => setReason(target.value)} />
        </label>
        <span className={css.dim}>{words.note}</span>
        <span role="alert" data-tone="bad">
          {trouble}
        </span>
        <div className={css.buttons}>
          <button type="submit" data-kind={words.kind} disabled={busy || !isSaid || wanted.length === 0}>
            {words.send(whereText(chosen))}
          </button>
          <button type="button" className={css.quiet} onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** One of all countries, found by name, letters or calling code. */
function CountryField({ value, change }: { value: string | undefined; change: (country: string | undefined) => void }) {
  const [text, setText] = useState('');
  const found = ALL_AREAS.filter(({ region }) => isFound(region, text));
  const search = (next: string) => {
    setText(next);
    // What is not shown is not acted on.
    if (value !== undefined && !isFound(value, next)) change(undefined);
  };
  return (
    <>
      <label>
        Search countries
        <input
          type="search"
          placeholder="Name, letters or calling code"
          value={text}
          onChange={({ target }) => search(target.value)}
        />
      </label>
      <label>
        Country
        <select
          size={7}
          className={own.countries}
          value={value ?? 'none'}
          onChange={({ target }) => change(target.value)}
        >
          {found.map(({ region, code }) => (
            <option key={region} value={region}>
              {region === '' ? countryText(region) : `${countryText(region)}, +${code}`}
            </option>
          ))}
        </select>
      </label>
      {found.length === 0 && <span className={css.dim}>No country fits this search.</span>}
    </>
  );
}
