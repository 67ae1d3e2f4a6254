/** What the account forms accept. Messages are keys of the namespace `account`. */
import * as v from 'valibot';
import {
  hasSpecialCharacters,
  isCode,
  isEmail,
  isEmpty,
  isLettersAndDigits,
  isPassword,
  isPhone,
} from '@/lib/validators';

const filled = (message: string) =>
  v.pipe(
    v.string(),
    v.check((text) => !isEmpty(text), message),
  );

const account = v.pipe(
  filled('problem.account'),
  v.maxLength(254, 'problem.tooLong'),
  v.check((text) => !hasSpecialCharacters(text), 'problem.special'),
);

export const loginSchema = v.object({
  account,
  password: filled('problem.password'),
});
export type LoginForm = v.InferOutput<typeof loginSchema>;

const identity = v.object({
  kind: v.picklist(['email', 'mobile']),
  areaCode: v.string(),
  account,
  code: v.pipe(
    v.string(),
    v.check((text) => isCode(text), 'problem.code'),
  ),
  password: v.pipe(
    v.string(),
    v.check((text) => isPassword(text), 'problem.passwordLength'),
  ),
  repeat: v.pipe(
    v.string(),
    v.check((text) => text.length > 0, 'problem.repeat'),
  ),
});

type Identity = v.InferOutput<typeof identity>;
export type ForgetForm = Identity;

export const isReachable = ({
  kind,
  account: text,
  areaCode,
}: Pick<Identity, 'kind' | 'account' | 'areaCode'>): boolean =>
  kind === 'email' ? isEmail(text) : isPhone(text, areaCode);

const isRepeated = ({ password, repeat }: Identity): boolean => password === repeat;

export const forgetSchema = v.pipe(
  identity,
  v.forward(v.check<Identity, string>(isReachable, 'problem.reach'), ['account']),
  v.forward(v.check<Identity, string>(isRepeated, 'problem.match'), ['repeat']),
);

const registration = v.object({
  ...identity.entries,
  invite: v.pipe(
    v.string(),
    v.maxLength(20, 'problem.tooLong'),
    v.check((text) => isLettersAndDigits(text), 'problem.invite'),
  ),
  agreed: v.pipe(
    v.boolean(),
    v.check((yes) => yes, 'problem.agree'),
  ),
});
export type RegisterForm = v.InferOutput<typeof registration>;

export const registerSchema = v.pipe(
  registration,
  v.forward(v.check<RegisterForm, string>(isReachable, 'problem.reach'), ['account']),
  v.forward(v.check<RegisterForm, string>(isRepeated, 'problem.match'), ['repeat']),
);
