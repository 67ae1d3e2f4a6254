import { useTranslation } from 'react-i18next';
import { HashRouter, Route, Routes } from 'react-router';

function Boot() {
  const { t } = useTranslation();
  return <p>{t('loading')}</p>;
}

export function App() {
  return (
    <HashRouter>
      <Routes>
        <Route path="*" element={<Boot />} />
      </Routes>
    </HashRouter>
  );
}
