import { NavBar } from '@/components/ui';
import { LANGUAGE_TAGS } from '@/lib/i18n';
import css from './Agreement.module.css';

interface Props {
  language: 'en' | 'zh';
  title: string;
  lead: string;
  sections: readonly { title: string; points: readonly string[] }[];
}

/** The agreement in its own language, whichever one the app speaks. */
export function Agreement({ language, title, lead, sections }: Props) {
  return (
    <div lang={LANGUAGE_TAGS[language]}>
      <NavBar title={title} />
      <article className={css.text}>
        <p>{lead}</p>
        {sections.map((section, index) => (
          <section key={section.title}>
            <h2>
              {index + 1}. {section.title}
            </h2>
            <ul>
              {section.points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          </section>
        ))}
      </article>
    </div>
  );
}
