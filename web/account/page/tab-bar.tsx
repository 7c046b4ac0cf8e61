import BarChart from 'lucide-react/icons/chart-no-axes-column'
import Gauge from 'lucide-react/icons/gauge'
import List from 'lucide-react/icons/list-tree'
import Plus from 'lucide-react/icons/plus'
import Receipt from 'lucide-react/icons/receipt-text'
import Settings from 'lucide-react/icons/settings-2'
import type { ComponentType } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import { type Place, placeNames, placeOf, places, type Tab, tabHref } from '#contract/account-tabs'
import styles from './tab-bar.module.css'

type Icon = ComponentType<{ size?: number; strokeWidth?: number; 'aria-hidden'?: boolean | 'true' }>

const icons: Record<Place, Icon> = {
  overview: Gauge,
  proxies: List,
  usage: BarChart,
  billing: Receipt,
  settings: Settings,
}

interface BarProps {
  tab: Tab
  /** Whether the role of a member opens a tab. */
  opens: (tab: Tab) => boolean
  /** The role of a member may order. */
  showBuy: boolean
  /** A pool has traffic: there is something to generate lines for. */
  showPanel: boolean
}

/** The tabs of a place that are offered. */
const tabsOf = (place: Place, { tab, showPanel, opens }: BarProps): readonly Tab[] =>
  places[place].filter((each) => opens(each) && (each !== 'panel' || showPanel || tab === 'panel'))

/** The five places: a row above the title, on phones a bar at the bottom of the screen. */
export function TabBar(props: BarProps) {
  const { t } = useTranslation('userBtns')
  const here = placeOf(props.tab)
  return (
    <nav className={styles.bar} aria-label={t('tabs')}>
      {placeNames.map((place) => {
        const [first] = tabsOf(place, props)
        if (first === undefined) return null
        const PlaceIcon = icons[place]
        return (
          <Link
            key={place}
            to={tabHref(first)}
            className={styles.tab}
            aria-current={place === here ? 'page' : undefined}
          >
            <PlaceIcon size={20} strokeWidth={1.75} aria-hidden="true" />
            <span>{t(`place.${place}`)}</span>
          </Link>
        )
      })}
      {props.showBuy && (
        <Link to="/purchase" className={classNames(styles.tab, styles.buy)}>
          <Plus size={20} strokeWidth={1.75} aria-hidden="true" />
          <span>{t('buy')}</span>
        </Link>
      )}
    </nav>
  )
}

/** The tabs of the place; nothing where it has only one. */
export function SectionBar(props: BarProps) {
  const { t } = useTranslation('userBtns')
  const here = placeOf(props.tab)
  const shown = tabsOf(here, props)
  if (shown.length < 2) return null
  return (
    <nav className={styles.sections} aria-label={t(`place.${here}`)}>
      {shown.map((each) => (
        <Link
          key={each}
          to={tabHref(each)}
          className={styles.section}
          aria-current={each === props.tab ? 'page' : undefined}
        >
          {t(`title.${each}`)}
        </Link>
      ))}
    </nav>
  )
}
