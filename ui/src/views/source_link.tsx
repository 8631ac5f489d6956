// Where something happened: the call and the line. The file is left out where the call's class says it.

interface Props {
  call: string | null;
  /** The class of the call's method. */
  class: string | null;
  file: string | null;
  line: number | null;
}

export function SourceLink({ call, class: owner, file, line }: Props) {
  const where = line === null ? "" : `${file ?? ""}:${line}`;
  // A class that is nested in another is in the other's file.
  const own = file !== null && owner !== null && file.split(".")[0] === owner.split(".")[0];
  return (
    <span class="place" title={[call, where].filter((part) => part !== null && part !== "").join(", ")}>
      {call} {own && line !== null ? `:${line}` : where}
    </span>
  );
}
