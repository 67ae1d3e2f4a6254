// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, flag, list, object, type Shape, text, whole } from '../shape';

export interface UserSession {
  created_at: string;
  created_at_ms: number;
  current: boolean;
  id: number;
  ip: string;
  last_seen: string;
  last_seen_ms: number;
}

export const userSessionShape: Shape<UserSession> = object({
  created_at: text,
  created_at_ms: whole,
  current: flag,
  id: whole,
  ip: text,
  last_seen: text,
  last_seen_ms: whole,
});

export interface AuthSendCodeFields {
  area_code?: string;
  scene?: 'register' | 'forget' | 'pay' | 'bind' | 'withdraw';
  type?: 'register' | 'forget' | 'pay' | 'bind' | 'withdraw';
  user_string: string;
}

/** `POST /api/sms_mail` */
export const authSendCode: CallShape<AuthSendCodeFields, string> = describeCall('POST', '/sms_mail', text);

export interface AuthCheckCodeFields {
  area_code?: string;
  email_code: string;
  scene?: 'register' | 'forget' | 'pay' | 'bind' | 'withdraw';
  type?: 'register' | 'forget' | 'pay' | 'bind' | 'withdraw';
  user_string: string;
}

/** `POST /api/user/check_email` */
export const authCheckCode: CallShape<AuthCheckCodeFields, string> = describeCall('POST', '/user/check_email', text);

export interface AuthForgetFields {
  account: string;
  area_code?: string;
  code: string;
  /** Of the second factor, where one is in use. */
  method?: 'totp' | 'recovery';
  password: string;
  repassword: string;
  second_code?: string;
}

/** `POST /api/user/forget` */
export const authForget: CallShape<AuthForgetFields, string> = describeCall('POST', '/user/forget', text);

export interface AuthLoginFields {
  /** Another name of user_string. */
  account?: string;
  area_code?: string;
  password: string;
  user_string?: string;
}

/** `POST /api/user/login` */
export const authLogin: CallShape<AuthLoginFields, string> = describeCall('POST', '/user/login', text);

export interface AuthLoginSecondFields {
  challenge_id: string;
  code: string;
  method: 'totp' | 'recovery';
}

/** `POST /api/user/login/second` */
export const authLoginSecond: CallShape<AuthLoginSecondFields, string> = describeCall(
  'POST',
  '/user/login/second',
  text,
);

export type AuthLogoutFields = Record<never, never>;

/** `GET /api/user/logout` */
export const authLogout: CallShape<AuthLogoutFields, string> = describeCall('GET', '/user/logout', text);

export interface AuthRegisterFields {
  area_code?: string;
  code: string;
  extension_code?: string;
  password: string;
  re_password: string;
  type?: 'email' | 'mobile';
  user_string: string;
}

/** `POST /api/user/register` */
export const authRegister: CallShape<AuthRegisterFields, string> = describeCall('POST', '/user/register', text);

export type AuthSessionsFields = Record<never, never>;

/** `GET /api/user/sessions` */
export const authSessions: CallShape<AuthSessionsFields, UserSession[]> = describeCall(
  'GET',
  '/user/sessions',
  list(userSessionShape),
);

export interface AuthRevokeFields {
  id: string | number;
}

/** `POST /api/user/sessions/revoke` */
export const authRevoke: CallShape<AuthRevokeFields, string> = describeCall('POST', '/user/sessions/revoke', text);
