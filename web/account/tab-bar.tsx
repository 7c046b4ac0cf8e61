import Code from 'lucide-react/icons/code-xml'
import BarChart from 'lucide-react/icons/chart-no-axes-column'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Gauge from 'lucide-react/icons/gauge'
import Key from 'lucide-react/icons/key-round'
import List from 'lucide-react/icons/list-tree'
import Plus from 'lucide-react/icons/plus'
import Receipt from 'lucide-react/icons/receipt-text'
import Shield from 'lucide-react/icons/shield-check'
import Users from 'lucide-react/icons/users-round'
import { type ComponentType, lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../app/i18n.ts'
import { classes } from '../ui/classes.ts'
import styles from './tab-bar.module.css'
import { type Tab, tabHref } from './tabs.ts'

type Icon = ComponentType<{ size?: number; strokeWidth?: number; 'aria-hidden'?: boolean | 'true' }>

const icons: Record<Tab, Icon> = {
  main: Gauge,
  panel: List,
  statistic: BarChart,
  whitelist: Shield,
  invoices: Receipt,
  referal: Users,
  changePass: Key,
  resell: Code,
}

/** On a phone the bar has room for these; the others are behind «more». */
const first: readonly Tab[] = ['main', 'panel', 'statistic']
const further: readonly Tab[] = ['whitelist', 'invoices', 'referal', 'changePass', 'resell']

const MoreSheet = lazy(async () => ({ default: (await import('./more-sheet.tsx')).MoreSheet }))

/** The tabs: a row above the title, and on a phone a bar at the foot of the screen. */
export function TabBar({ tab, panelShown }: { tab: Tab; panelShown: boolean }) {
  const { t } = useTranslation('userBtns')
  const shown = first.filter((each) => each !== 'panel' || panelShown || tab === 'panel')
  const entry = (each: Tab, isFurther: boolean) => {
    const EntryIcon = icons[each]
    return (
      <Link
        key={each}
        to={tabHref(each)}
        className={classes(styles.tab, isFurther && styles.further)}
        aria-current={each === tab ? 'page' : undefined}
      >
        <EntryIcon size={20} strokeWidth={1.75} aria-hidden="true" />
        {t(`tab.${each}`)}
      </Link>
    )
  }
  return (
    <nav className={styles.bar} aria-label={t('tabs')}>
      {shown.map((each) => entry(each, false))}
      {further.map((each) => entry(each, true))}
      <Link to="/purchase" className={classes(styles.tab, styles.buy)}>
        <Plus size={20} strokeWidth={1.75} aria-hidden="true" />
        {t('buy')}
      </Link>
      <More tab={tab} />
    </nav>
  )
}

/** The way to the tabs that a phone's bar has no room for. */
function More({ tab }: { tab: Tab }) {
  const { t } = useTranslation('userBtns')
  const [open, setOpen] = useState(false)
  const here = further.includes(tab)
  return (
    <>
      <button
        type="button"
        className={classes(styles.tab, styles.more)}
        aria-haspopup="dialog"
        aria-expanded={open}
        data-here={here || undefined}
        onClick={() => setOpen(true)}
      >
        <Ellipsis size={20} strokeWidth={1.75} aria-hidden="true" />
        {t('more')}
      </button>
      {open && (
        <Suspense fallback={null}>
          <MoreSheet
            title={t('more')}
            closeLabel={t('closeMore')}
            entries={further.map((each) => ({
              href: tabHref(each),
              text: t(`title.${each}`),
              icon: icons[each],
              current: each === tab,
            }))}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
