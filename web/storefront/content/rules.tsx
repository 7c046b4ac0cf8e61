import ArrowUpRight from 'lucide-react/icons/arrow-up-right'
import { useTranslation } from '../../state/i18n.ts'
import { type Site, useSite } from '../../state/site.ts'
import { Page } from '../page.tsx'
import styles from './rules.module.css'

type Rules = Site['rules']

/** The rules of the operator; default rules until those have loaded. */
export function RulesPage() {
  const { t } = useTranslation('rules')
  const defaultRules = (['first', 'second', 'third', 'fourth'] as const).map((key) => ({
    text: t(key),
    more_link: null,
  }))
  const fallback: Rules = {
    title: t('title'),
    subtitle: t('subtitle'),
    rules: defaultRules,
    partner: null,
    ending: t('ending'),
    note: t('note'),
  }
  const { title, subtitle, rules, partner, ending, note } = useSite()?.rules ?? fallback
  return (
    <Page title={t('title')} description={t('description')} heading={title} lead={subtitle} back narrow>
      <ol className={styles.rules}>
        {rules.map((rule) => (
          <li key={rule.text} className={styles.rule}>
            <p>
              {rule.text}
              {rule.more_link !== null && <MoreLink link={rule.more_link} />}
            </p>
          </li>
        ))}
        {partner !== null && (
          <li className={styles.rule}>
            <p>
              {partner.link === null ? (
                t('partner', { name: partner.name })
              ) : (
                <a href={partner.link} target="_blank" rel="noreferrer">
                  {t('partner', { name: partner.name })}
                </a>
              )}
            </p>
          </li>
        )}
      </ol>
      <div className={styles.close}>
        <p className={styles.ending}>{ending}</p>
        <p className={styles.note}>{note}</p>
      </div>
    </Page>
  )
}

function MoreLink({ link }: { link: string }) {
  const { t } = useTranslation('rules')
  return (
    <>
      {' '}
      <a className={styles.more} href={link} target="_blank" rel="noreferrer">
        {t('more')}
        <span className="sr-only">, {t('newTab')}</span>
        <ArrowUpRight size={16} strokeWidth={2} aria-hidden="true" />
      </a>
    </>
  )
}
