// Made by `npm run schema` from app-calls.json, the document that the server makes of its calls.
import { type CallShape, describeCall, text } from '../shape';

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
  /** Of the method passkey: JSON of credential, client_data, authenticator_data and signature, each base64url. */
  assertion?: string;
  challenge_id: string;
  code?: string;
  method: 'totp' | 'recovery' | 'passkey';
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
