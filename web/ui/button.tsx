import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { Link } from 'react-router'
import styles from './button.module.css'
import { classNames } from './class-names.ts'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'ref'> {
  /** At most one `primary` button is in view. `danger` is for acts that take something from a person. */
  variant?: 'primary' | 'secondary' | 'ghost' | 'danger'
  size?: 'medium' | 'large' | 'small'
  /** Shows progress and ignores clicks; width and accessible name stay. */
  pending?: boolean
  /** Renders a link: inside the app when it starts with `/`, else to another site in a new tab. */
  href?: string
  /** Called when the link is followed. */
  onFollow?: () => void
  icon?: ReactNode
  /** Fills the available width. */
  wide?: boolean
  ref?: React.Ref<HTMLButtonElement>
}

export function Button(props: ButtonProps) {
  const {
    variant = 'secondary',
    size = 'medium',
    pending = false,
    href,
    onFollow,
    icon,
    wide,
    className,
    children,
    onClick,
    ...rest
  } = props
  const names = classNames(styles.button, styles[variant], styles[size], wide && styles.wide, className)
  const content = (
    <>
      <span className={styles.content}>
        {icon}
        {children !== undefined && <span className={styles.text}>{children}</span>}
      </span>
      {pending && <span className={styles.progress} aria-hidden="true" />}
    </>
  )
  if (href !== undefined)
    return (
      <ButtonLink
        href={href}
        className={names}
        label={rest['aria-label']}
        content={content}
        onFollow={onFollow}
      />
    )
  const handleClick = (event: MouseEvent<HTMLButtonElement>) => {
    // A pending button is not `disabled`: it would lose the focus. Enter in a form arrives here as a click
    // too.
    if (pending) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      type="button"
      {...rest}
      className={names}
      onClick={handleClick}
      aria-busy={pending || undefined}
      aria-disabled={pending || undefined}
    >
      {content}
    </button>
  )
}

function ButtonLink(props: {
  href: string
  className: string
  label: string | undefined
  content: ReactNode
  onFollow: (() => void) | undefined
}) {
  const { href, className, label, content, onFollow } = props
  const name = label === undefined ? {} : { 'aria-label': label }
  if (href.startsWith('/')) {
    return (
      <Link to={href} className={className} onClick={onFollow} {...name}>
        {content}
      </Link>
    )
  }
  return (
    <a href={href} className={className} target="_blank" rel="noreferrer" {...name}>
      {content}
    </a>
  )
}
