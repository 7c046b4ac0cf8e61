import { useTranslation } from '../../state/i18n.ts'
import { type Site, useSite } from '../../state/site.ts'
import { RulesList } from '../../ui/site/rules-list.tsx'
import { Page } from '../page.tsx'

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
      <RulesList
        rules={rules}
        partner={partner === null ? null : { text: t('partner', { name: partner.name }), link: partner.link }}
        ending={ending}
        note={note}
        more={{ label: t('more'), newTab: t('newTab') }}
      />
    </Page>
  )
}
