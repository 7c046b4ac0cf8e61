import type { Output } from '#contract/contract'
import { useLanguage, useTranslation } from '../../state/i18n.ts'
import { Card } from '../../ui/card.tsx'
import { formatDateTime } from '../../ui/format-time.ts'
import protection from '../security/protection.module.css'
import { Row } from '../security/two-factor.tsx'

/** The last changes that members made on the account. */
export function Acts({ title, acts }: { title: string; acts: Output<'get_team'>['acts'] }) {
  const { t } = useTranslation('team')
  const language = useLanguage()
  return (
    <section aria-labelledby="team-acts">
      <h2 id="team-acts" className={protection.heading}>
        {title}
      </h2>
      <p className={protection.lead}>{t('acts.text')}</p>
      <Card>
        <ul className={protection.rows}>
          {acts.map(({ at, by, what }, index) => (
            <Row
              key={index}
              name={what}
              about={[by ?? t('members.erased'), formatDateTime(at, language)].join(', ')}
            />
          ))}
        </ul>
      </Card>
    </section>
  )
}
