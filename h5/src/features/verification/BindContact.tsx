/**
 * An e-mail address or a phone is bound. Besides its own code it takes one that was sent to what is bound already: to the
 * contact of its kind, or else to the other one; with a session alone nobody adds a way to reset the password.
 */
import { type FormEvent, lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, CodeInput, Input, NavBar, Select, SkeletonRows } from '@/components/ui';
import { PATHS } from '@/config/paths';
import type { UserInfo } from '@/lib/api/types';
import { areasIn, isSearched, regionOf } from '@/lib/areas';
import { LANGUAGE_TAGS, useLanguage } from '@/lib/i18n';
import { back } from '@/lib/navigation';
import { useOnline } from '@/lib/online';
import { secondAnswerOf } from '@/lib/secondFactor';
import { useSession } from '@/lib/session';
import { areaCodeAtom, useAtomValue } from '@/lib/state';
import { toast } from '@/lib/toast';
import { isCode, isEmail, isPhone } from '@/lib/validators';
import { type Contact, sendToBound, sendToNew, useBind } from './api/contacts';
import css from './Verification.module.css';

/** Few accounts have a second factor. */
const SecondCode = lazy(() => import('@/components/safe').then(({ SecondCode }) => ({ default: SecondCode })));

type Kind = 'email' | 'phone';

export function BindContact({ kind }: { kind: Kind }) {
  const { t } = useTranslation('verification');
  const { user } = useSession();
  const isBound = user !== null && user[kind] !== null;
  return (
    <>
      <NavBar title={t(isBound ? `${kind}.change` : `${kind}.bind`)} />
      {user ? <BindForm kind={kind} user={user} /> : <SkeletonRows rows={4} icon={false} />}
    </>
  );
}

/** The contact that is asked besides the new one. */
function askedOf(kind: Kind, user: UserInfo): Kind | null {
  const other = kind === 'email' ? 'phone' : 'email';
  if (user[kind] !== null) return kind;
  return user[other] !== null ? other : null;
}

type Field = 'account' | 'code' | 'oldPhone' | 'oldCode' | 'second';

/** What the server calls the fields. */
const FIELDS: Readonly<Record<string, Field>> = {
  email: 'account',
  mobile: 'account',
  area_code: 'account',
  code: 'code',
  old_code: 'oldCode',
};

function BindForm({ kind, user }: { kind: Kind; user: UserInfo }) {
  const { t } = useTranslation('verification');
  const { t: a } = useTranslation('account');
  const { t: c } = useTranslation();
  const online = useOnline();
  const bind = useBind();
  const tag = LANGUAGE_TAGS[useLanguage()];
  const areas = useMemo(() => areasIn(tag), [tag]);
  const areaCode = useAtomValue(areaCodeAtom);
  const [region, setRegion] = useState(() => regionOf(areaCode) ?? 'US');
  const [entered, setEntered] = useState<Record<Field, string>>({
    account: '',
    code: '',
    oldPhone: '',
    oldCode: '',
    second: '',
  });
  const [tried, setTried] = useState<ReadonlySet<Field>>(new Set());
  const [needsFactor, setNeedsFactor] = useState(false);
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<{ field?: Field | undefined; why: string }>({ why: '' });

  const area = areas.find((row) => row.region === region);
  const isPhoneNew = kind === 'phone';
  const asked = askedOf(kind, user);
  const fresh: Contact = { account: entered.account.trim(), areaCode: isPhoneNew ? area?.code : undefined };
  // The profile hides most digits of a phone: it is entered once more.
  const bound: Contact =
    asked === 'phone' ? { account: entered.oldPhone, areaCode: user.area_code } : { account: user.email ?? '' };

  const isFit = isPhoneNew ? isPhone(fresh.account, fresh.areaCode ?? '') : isEmail(fresh.account);
  const problems: Record<Field, string | undefined> = {
    account: isFit ? undefined : t(`${kind}.problem`),
    code: isCode(entered.code) ? undefined : a('problem.code'),
    oldPhone: asked !== 'phone' || isPhone(entered.oldPhone, user.area_code) ? undefined : t('phone.problem'),
    oldCode: asked === null || isCode(entered.oldCode) ? undefined : a('problem.code'),
    second: !needsFactor || secondAnswerOf(entered.second) ? undefined : a('second.problem'),
  };
  const field = (name: Field) => ({
    value: entered[name],
    error: refused.field === name ? refused.why : tried.has(name) ? problems[name] : undefined,
    onChange: ({ target }: { target: { value: string } }) => {
      setEntered({ ...entered, [name]: target.value });
      if (refused.field === name) setRefused({ why: '' });
    },
  });
  const tryFields = (...names: Field[]) => setTried(new Set([...tried, ...names]));

  async function sendCode(name: 'account' | 'oldPhone'): Promise<boolean> {
    tryFields(name);
    if (problems[name]) return false;
    return name === 'account' ? sendToNew(fresh) : sendToBound(bound);
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    tryFields('account', 'code', 'oldPhone', 'oldCode', 'second');
    setRefused({ why: '' });
    if (Object.values(problems).some(Boolean)) return;
    setSending(true);
    const { code, oldCode, second } = entered;
    const answer = await bind(fresh, { code, oldCode, second: needsFactor ? second : null });
    setSending(false);
    if (answer.done) {
      toast.success(t(`${kind}.done`));
      back(PATHS.security);
      return;
    }
    if (answer.needsFactor) setNeedsFactor(true);
    setRefused({
      field: answer.fields.map((name) => FIELDS[name]).find(Boolean),
      why: answer.why || c('error.unknown'),
    });
  }

  return (
    <form className={css.form} noValidate onSubmit={(event) => void submit(event)}>
      <p className={css.lead}>{t(`${kind}.lead`)}</p>
      {asked !== null && (
        <fieldset className={css.group}>
          <legend className="sr-only">{t(`${asked}.old`)}</legend>
          {asked === 'phone' ? (
            <Input
              label={t('phone.old')}
              type="tel"
              inputMode="tel"
              autoComplete="off"
              prefix={<span className={`num ${css.area}`}>+{user.area_code}</span>}
              hint={user.phone}
              {...field('oldPhone')}
            />
          ) : (
            <Input label={t('email.old')} value={user.email ?? ''} readOnly autoComplete="off" />
          )}
          <CodeInput label={t(`${asked}.oldCode`)} onSend={() => sendCode('oldPhone')} {...field('oldCode')} />
        </fieldset>
      )}
      <fieldset className={css.group}>
        <legend className="sr-only">{t(`${kind}.new`)}</legend>
        <Input
          label={t(`${kind}.new`)}
          type={isPhoneNew ? 'tel' : 'email'}
          inputMode={isPhoneNew ? 'tel' : 'email'}
          autoComplete={isPhoneNew ? 'tel-national' : 'email'}
          autoCapitalize="none"
          spellCheck={false}
          prefix={
            isPhoneNew && (
              <Select
                look="inline"
                hideLabel
                className={css.areas}
                label={a('area.title')}
                value={region}
                options={areas.map((row) => ({ value: row.region, label: row.name, note: `+${row.code}` }))}
                shown={`+${area?.code}`}
                search={{
                  label: a('area.search'),
                  none: a('area.none'),
                  finds: ({ value }, text) => areas.some((row) => row.region === value && isSearched(row, text)),
                }}
                onChange={setRegion}
              />
            )
          }
          {...field('account')}
        />
        <CodeInput label={a('field.code')} onSend={() => sendCode('account')} {...field('code')} />
      </fieldset>
      {needsFactor && (
        <Suspense>
          <SecondCode
            value={entered.second}
            onChange={(second) => setEntered({ ...entered, second })}
            tried={tried.has('second')}
          />
        </Suspense>
      )}
      <p role="alert" className={css.refused}>
        {refused.field ? '' : refused.why}
      </p>
      <Button type="submit" size="l" block loading={sending} disabled={!online} throttleMs={1000}>
        {online ? t(user[kind] === null ? `${kind}.bind` : `${kind}.change`) : c('error.offline')}
      </Button>
    </form>
  );
}
