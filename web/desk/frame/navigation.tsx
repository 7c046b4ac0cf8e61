import { NavLink } from 'react-router'
import type { DeskName } from '#contract/desk/wire'
import { useTranslation } from '../../state/i18n.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './navigation.module.css'
import { pages } from './pages.ts'

interface NavigationProps {
  may: (name: DeskName) => boolean
  onChoose?: () => void
}

/** Links to the pages that the member may see. */
export function Navigation({ may, onChoose }: NavigationProps) {
  const { t } = useTranslation('desk')
  return (
    <nav aria-label={t('navigation')}>
      <ul className={styles.list}>
        {pages
          .filter(({ needs }) => may(needs))
          .map(({ path, name, icon: Icon }) => (
            <li key={path}>
              <NavLink to={path} end={path === '/'} className={classNames(styles.link)} onClick={onChoose}>
                <Icon size={17} strokeWidth={1.75} aria-hidden="true" />
                <span>{t(`page.${name}`)}</span>
              </NavLink>
            </li>
          ))}
      </ul>
    </nav>
  )
}
