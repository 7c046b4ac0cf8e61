import { useQuery } from '@tanstack/react-query'
import CalendarDays from 'lucide-react/icons/calendar-days'
import Crosshair from 'lucide-react/icons/crosshair'
import ListOrdered from 'lucide-react/icons/list-ordered'
import type { LucideIcon } from 'lucide-react'
import Repeat from 'lucide-react/icons/repeat-2'
import Waypoints from 'lucide-react/icons/waypoints'
import type { ReactNode } from 'react'
import type { Pool } from '#contract/wire'
import { query } from '../../state/reads/queries.ts'
import { usePrice } from '../../state/currency.ts'
import { useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { Odometer } from '../../ui/odometer.tsx'
import { PoolIcon } from '../../ui/graphics/pool-icon.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import styles from './advantages.module.css'
import page from './home.module.css'

const items: readonly {
  key: 'protocols' | 'targeting' | 'sessions' | 'lines' | 'stats'
  icon: LucideIcon
}[] = [
  { key: 'protocols', icon: Waypoints },
  { key: 'targeting', icon: Crosshair },
  { key: 'sessions', icon: Repeat },
  { key: 'lines', icon: ListOrdered },
  { key: 'stats', icon: CalendarDays },
]

export function Advantages({ pool }: { pool: Pool }) {
  const { t } = useTranslation('home')
  return (
    <section className={classNames(styles.section, page.ground)}>
      <h2>{t('advantages.heading')}</h2>
      <ul className={styles.list}>
        <PriceAdvantage pool={pool} />
        {items.map(({ key, icon: Icon }) => (
          <Advantage
            key={key}
            icon={<Icon size={24} strokeWidth={1.6} aria-hidden="true" />}
            title={t(`advantages.${key}`)}
            text={t(`advantages.${key}Text`)}
          />
        ))}
      </ul>
    </section>
  )
}

/** The price of the chosen pool. */
function PriceAdvantage({ pool }: { pool: Pool }) {
  const { t } = useTranslation(['home', 'header'])
  const priceText = usePrice()
  const { data, isError } = useQuery(query('prices', {}))
  const price = data?.[pool]
  if (data !== undefined && price === undefined) return null
  const shown =
    price === undefined ? isError ? '—' : <Skeleton characters={6} /> : <Odometer value={priceText(price)} />
  return (
    <Advantage
      icon={<PoolIcon pool={pool} />}
      title={
        <>
          <span>{shown}</span>
          <span>{t('home:advantages.price', { pool: t(`header:pools.${pool}`) })}</span>
        </>
      }
      text={t('home:advantages.priceText')}
    />
  )
}

function Advantage({ icon, title, text }: { icon: ReactNode; title: ReactNode; text: string }) {
  return (
    <li className={styles.item}>
      <span className={styles.icon}>{icon}</span>
      <h3 className={styles.title}>{title}</h3>
      <p className={styles.text}>{text}</p>
    </li>
  )
}
