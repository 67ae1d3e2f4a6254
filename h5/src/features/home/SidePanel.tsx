import { Coins, FileText, Globe, Info, type LucideIcon, Settings, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FiatSheet, LanguageSheet } from '@/components/preferences';
import { Avatar, Badge, Button, Drawer, List, ListItem } from '@/components/ui';
import { PATHS, type Path } from '@/config/paths';
import { useFiat } from '@/lib/fiat';
import { LANGUAGE_NAMES, useLanguage } from '@/lib/i18n';
import { navigateTo } from '@/lib/navigation';
import { useSession } from '@/lib/session';
import css from './SidePanel.module.css';

const LINKS = [
  { key: 'settings', path: PATHS.setting, icon: Settings },
  { key: 'security', path: PATHS.security, icon: ShieldCheck },
  { key: 'compliance', path: PATHS.compliance, icon: FileText },
  { key: 'about', path: PATHS.about, icon: Info },
] as const satisfies readonly { key: string; path: Path; icon: LucideIcon }[];

interface Props {
  open: boolean;
  onClose(): void;
}

export function SidePanel({ open, onClose }: Props) {
  const { t } = useTranslation('home');
  const { t: c } = useTranslation();
  const { token, user } = useSession();
  const fiat = useFiat();
  const language = useLanguage();
  const [sheet, setSheet] = useState<'language' | 'fiat' | null>(null);

  function go(path: string) {
    onClose();
    navigateTo(path);
  }

  return (
    <>
      <Drawer open={open} onClose={onClose} title={t('panel.title')} hideTitle>
        <div className={css.who}>
          <Avatar src={user?.head_portrait} name={user?.nickname || user?.account_number} size={48} />
          {token ? (
            <button type="button" className={css.name} onClick={() => go(PATHS.userInfo)}>
              <b>{user?.nickname || user?.account_number || '--'}</b>
              <span className="num">UID {user?.uid ?? '--'}</span>
              {user?.level_name && <Badge tone="base">{user.level_name}</Badge>}
            </button>
          ) : (
            <div className={css.name}>
              <b>{t('panel.guest')}</b>
              <Button size="s" className={css.login} onClick={() => go(PATHS.login)}>
                {c('logIn')}
              </Button>
            </div>
          )}
        </div>
        <List className={css.list}>
          {LINKS.map(({ key, path, icon: Icon }) => (
            <ListItem key={key} icon={<Icon size={19} />} title={t(`panel.${key}`)} onClick={() => go(path)} />
          ))}
        </List>
        <List className={css.list}>
          <ListItem icon={<Coins size={19} />} title={c('fiat')} value={fiat.code} onClick={() => setSheet('fiat')} />
          <ListItem
            icon={<Globe size={19} />}
            title={c('language')}
            value={LANGUAGE_NAMES[language]}
            onClick={() => setSheet('language')}
          />
        </List>
      </Drawer>
      <LanguageSheet open={sheet === 'language'} onClose={() => setSheet(null)} />
      <FiatSheet open={sheet === 'fiat'} onClose={() => setSheet(null)} />
    </>
  );
}
