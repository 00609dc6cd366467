/** How long something is kept, as text; null: forever. */
export const forDays = (days: number | null) => (days === null ? 'forever' : days === 1 ? 'for a day' : `for ${days} days`)
