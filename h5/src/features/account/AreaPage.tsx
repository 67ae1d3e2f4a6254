import { Check } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty, NavBar, SearchBox } from '@/components/ui';
import { areasIn, isSearched } from '@/lib/areas';
import { LANGUAGE_TAGS, useLanguage } from '@/lib/i18n';
import { back } from '@/lib/navigation';
import { areaCodeAtom, useAtom } from '@/lib/state';
import css from './AreaPage.module.css';

/** Countries and their calling codes. */
export default function AreaPage() {
  const { t } = useTranslation('account');
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useAtom(areaCodeAtom);
  const tag = LANGUAGE_TAGS[useLanguage()];
  const rows = useMemo(() => areasIn(tag), [tag]);
  const shown = rows.filter((row) => isSearched(row, search));

  return (
    <>
      <NavBar title={t('area.title')} />
      <div className={css.search}>
        <SearchBox label={t('area.search')} value={search} onChange={setSearch} />
      </div>
      {shown.length === 0 && <Empty title={t('area.none')} />}
      <ul>
        {shown.map(({ region, code, name }) => (
          <li key={region}>
            <button
              type="button"
              className={css.row}
              aria-pressed={code === chosen}
              onClick={() => {
                setChosen(code);
                back();
              }}
            >
              <span className={css.name}>{name}</span>
              <span className={`num ${css.code}`}>+{code}</span>
              {code === chosen && <Check size={16} aria-hidden="true" />}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
