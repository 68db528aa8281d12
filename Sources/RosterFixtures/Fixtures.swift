import Roster
