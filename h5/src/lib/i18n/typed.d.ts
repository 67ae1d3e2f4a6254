import 'i18next';
import type account from '@/locales/en/account.json';
import type chat from '@/locales/en/chat.json';
import type common from '@/locales/en/common.json';
import type contract from '@/locales/en/contract.json';
import type convert from '@/locales/en/convert.json';
import type copy from '@/locales/en/copy.json';
import type coupon from '@/locales/en/coupon.json';
import type deposit from '@/locales/en/deposit.json';
import type download from '@/locales/en/download.json';
import type financial from '@/locales/en/financial.json';
import type fund from '@/locales/en/fund.json';
import type home from '@/locales/en/home.json';
import type mail from '@/locales/en/mail.json';
import type market from '@/locales/en/market.json';
import type protection from '@/locales/en/protection.json';
import type reserves from '@/locales/en/reserves.json';
import type seconds from '@/locales/en/seconds.json';
import type setting from '@/locales/en/setting.json';
import type stock from '@/locales/en/stock.json';
import type trade from '@/locales/en/trade.json';
import type verification from '@/locales/en/verification.json';
import type withdraw from '@/locales/en/withdraw.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      account: typeof account;
      chat: typeof chat;
      common: typeof common;
      contract: typeof contract;
      convert: typeof convert;
      copy: typeof copy;
      coupon: typeof coupon;
      deposit: typeof deposit;
      download: typeof download;
      financial: typeof financial;
      fund: typeof fund;
      home: typeof home;
      mail: typeof mail;
      market: typeof market;
      protection: typeof protection;
      reserves: typeof reserves;
      seconds: typeof seconds;
      setting: typeof setting;
      stock: typeof stock;
      trade: typeof trade;
      verification: typeof verification;
      withdraw: typeof withdraw;
    };
  }
}
