interface Props {
  values: readonly number[]
  /** A description for screen readers. */
  label: string
  className?: string
  /** Draws a dot for each value. */
  dots?: boolean
}

const [WIDTH, HEIGHT, EDGE] = [200, 40, 3]

/** The values as a line, from the lowest to the highest. Small differences of large numbers are visible, so it has no zero. */
export function MeasureLine({ values, label, className = '', dots = false }: Props) {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const x = (index: number) => EDGE + (index * (WIDTH - 2 * EDGE)) / Math.max(1, values.length - 1)
  const y = (value: number) => (high === low ? HEIGHT / 2 : HEIGHT - EDGE - ((value - low) / (high - low)) * (HEIGHT - 2 * EDGE))
  const path = values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={`overflow-visible text-series-1 ${className}`}
    >
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
      {(dots || values.length === 1) &&
        values.map((value, index) => (
          <path
            // biome-ignore lint/suspicious/noArrayIndexKey: values have a fixed order
            key={index}
            d={`M${x(index).toFixed(1)} ${y(value).toFixed(1)}h0`}
            stroke="currentColor"
            strokeWidth="5"
            strokeLinecap="round"
            vectorEffect="non-scaling-stroke"
          />
        ))}
    </svg>
  )
}
