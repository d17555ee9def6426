-- The rail's own id of an order is kept when the rail accepts it, not only when a callback names it: a refund of the rail's
-- dashboard has no key of ours, and its callback names the order by that id alone.
create index rail_watches_by_reference on rail_watches (rail, reference) where reference is not null;
